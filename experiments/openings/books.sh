#!/bin/sh
# Makes the books of even openings that come with the program: sh experiments/openings/books.sh
# A book that is there stays. BINARY and NET may name others. The books of 7 × 7 and 11 × 11 squares had judges of their own
# (README.md, "Boards of 7 and 11 squares").
set -eu
cd "$(dirname "$0")/../.."
for rules in kvasir masters imperial ludoteka tartu ashton piecepack linnaeus masters-weak-king masters-armed-king masters-edge \
    piecepack-open-castle piecepack-defenders-first linnaeus-open-camps; do
    book=crates/tablut-arena/openings/$rules.openings
    # Under these rules hardly any opening of six plies is even.
    case $rules in
        ludoteka | masters-armed-king) plies=8 ;;
        *) plies=6 ;;
    esac
    # A narrow band takes more looks. These are the sources' rule sets; ludoteka's would take an hour.
    case $rules in
        piecepack | imperial | linnaeus | masters | kvasir) band=0.05 ;;
        *) band=0.2 ;;
    esac
    [ -s "$book" ] || "${BINARY:-target/release/tablut}" generate openings --rules "$rules" --plies $plies --steer --count 250 \
        --judge "net:${NET:-models/all-rules.tablut}@16384" --band $band --out "$book" --force
done
