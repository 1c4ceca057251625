#!/bin/sh
# OpenTafl's own engine against a net, under two games that both programs play alike: one JSON object for each.
# Usage, from the repository's root after `cargo build --release` and `sh experiments/opentafl/build.sh CHECKOUT OUT`:
#   sh experiments/opentafl/ai_match.sh OUT models/all-rules.tablut@128 [SECONDS [GAMES]] > experiments/opentafl/ai_match.jsonl
set -eu
out=${1:?what build.sh has written to}
net=${2:?the net and its simulations, such as models/all-rules.tablut@128}
seconds=${3:-5}
games=${4:-24}
tablut=${TABLUT:-target/release/tablut}
export ENGINE_ARGS=--silent
# The clock, not the setting, says how long OpenTafl thinks: three quarters of a second less than it has.
engine="opentafl:$out/engine 60@${seconds}s"
line=$(printf 'variant 1\nquit\n' | "$out/oracle" | sed -n 's/^ok //p')
"$tablut" rules "$line" --toml > "$out/tablut.toml"
for rules in piecepack "$out/tablut.toml"; do
    found=$("$tablut" match "net:$net" "$engine" --rules "$rules" --games "$games" --json -q)
    printf '%s' "$found" | tr -d '\n'
    echo
done
