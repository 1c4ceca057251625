#!/bin/sh
# Makes the books of even openings that come with the program: sh experiments/openings/books.sh FOLDER
# The judge is the shipped net. A book that is in the folder stays, so a run that was stopped goes on.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$1"
for rules in kvasir masters imperial ludoteka tartu ashton piecepack linnaeus masters-weak-king masters-armed-king masters-edge \
    piecepack-open-castle piecepack-defenders-first linnaeus-open-camps brandubh brandubh-weak-king copenhagen fetlar tawlbwrdd \
    tawlbwrdd-lewis; do
    book=$1/$rules.openings
    # Under these rules hardly any shorter opening is even.
    case $rules in
        ludoteka | masters-weak-king) plies=8 ;;
        masters-armed-king) plies=12 ;;
        *) plies=6 ;;
    esac
    [ -s "$book" ] || target/release/tablut generate openings --rules "$rules" --plies $plies --steer --count 100 \
        --judge net:shipped@16384 --band 0.15 --out "$book"
done
