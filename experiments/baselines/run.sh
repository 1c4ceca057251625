#!/bin/sh
# The players without nets, each against the next weaker one, under the six source rule sets; one JSON object a match.
# Usage, from the repository's root after `cargo build --release`:
#   sh experiments/baselines/run.sh > experiments/baselines/results.jsonl
tablut=${TABLUT:-target/release/tablut}
for rules in piecepack imperial ludoteka linnaeus masters kvasir; do
    "$tablut" match greedy random --rules "$rules" --games 2000 --json 2>/dev/null | tr -d '\n'
    echo
    "$tablut" match alphabeta:2 greedy --rules "$rules" --games 200 --json 2>/dev/null | tr -d '\n'
    echo
    "$tablut" match alphabeta:4 alphabeta:2 --rules "$rules" --games 60 --json 2>/dev/null | tr -d '\n'
    echo
done
