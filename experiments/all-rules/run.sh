#!/bin/sh
# A net against the baselines under each of the rule sets that come with the program, one JSON object a rule set.
# Usage, from the repository's root after `cargo build --release`:
#   sh experiments/all-rules/run.sh models/all-rules.tablut > runs/results.jsonl && mv runs/results.jsonl experiments/all-rules/
set -eu
net=${1:?the model file}
games=${2:-60}
tablut=${TABLUT:-target/release/tablut}
for rules in piecepack piecepack-open-castle piecepack-defenders-first imperial ludoteka linnaeus linnaeus-open-camps \
    masters masters-weak-king masters-armed-king masters-edge kvasir tartu ashton; do
    found=$("$tablut" evaluate "$net" --rules "$rules" --games "$games" --simulations 128 --against alphabeta:2 \
        --against alphabeta:4 --json -q)
    printf '%s' "$found" | tr -d '\n'
    echo
done
