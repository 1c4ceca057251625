#!/bin/sh
# OpenTafl's own engine against a net: one JSON object for each rule set.
# Usage, from the repository's root after `cargo build --release` and `sh experiments/opentafl/build.sh CHECKOUT OUT`:
#   sh experiments/opentafl/ai_match.sh OUT NET SECONDS GAMES RULES... > results.jsonl
# for example `ai_match.sh out shipped@40 2 8 piecepack brandubh`.
set -eu
out=${1:?what build.sh has written to}
net=${2:?the net and its simulations, such as shipped@40}
seconds=${3:?seconds a move of OpenTafl}
games=${4:?games of a rule set}
shift 4
export ENGINE_ARGS=--silent
# The clock, not the setting, says how long OpenTafl thinks: three quarters of a second less than it has.
for rules in "$@"; do
    found=$("${TABLUT:-target/release/tablut}" match "net:$net" "opentafl:$out/engine 60@${seconds}s" --rules "$rules" --openings even \
        --games "$games" --json -q)
    printf '%s' "$found" | tr -d '\n'
    echo
done
