#!/bin/sh
# The players without nets, each against the next weaker one, under the six source rule sets; one JSON object a match.
# Usage, from the repository's root after `cargo build --release`:
#   sh experiments/baselines/run.sh > runs/baselines.jsonl && mv runs/baselines.jsonl experiments/baselines/results.jsonl
set -eu
tablut=${TABLUT:-target/release/tablut}
games() {
    found=$("$tablut" match "$1" "$2" --rules "$rules" --games "$3" --json -q)
    printf '%s' "$found" | tr -d '\n'
    echo
}
for rules in piecepack imperial ludoteka linnaeus masters kvasir; do
    games greedy random 2000
    games alphabeta:2 greedy 200
    games alphabeta:4 alphabeta:2 60
done
