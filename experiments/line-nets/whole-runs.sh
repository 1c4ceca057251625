#!/usr/bin/env bash
# A whole run of each kind of net with about the same processor time, and a match at equal time:
#   experiments/line-nets/whole-runs.sh RULES SEED [GAMES] [FOLDER]
# Runs that exist are continued, so the command can be repeated. The program is $TABLUT or target/release/tablut.
set -euo pipefail
rules=$1 seed=$2 games=${3:-200} folder=${4:-runs/line-nets}
tablut=${TABLUT:-target/release/tablut}
# As many generations as take about the processor time of the residual net's 28, or less.
case $rules-$seed in
  masters-1) generations=10 ;; masters-2) generations=13 ;; masters-*) generations=18 ;; # games are long until the attackers win
  kvasir-*) generations=20 ;; *) generations=24 ;;
esac
mkdir -p "$folder"
train() { # net, further settings
  local net=$1; shift
  "$tablut" train "experiments/line-nets/$net.toml" --run "$folder/$net-$rules-$seed" --set "rules=[\"$rules\"]" --set "seed=$seed" "$@"
}
train residual
train lines --set "schedule.generations=$generations"
net() { printf '%s/%s-%s-%s/checkpoints/gen-%05d.safetensors' "$folder" "$1" "$rules" "$seed" $(($2 - 1)); }
# Each search has one core, with AVX2.
TABLUT_SIMD=avx2 "$tablut" match "lines=net:$(net lines $generations)@100ms" "residual=net:$(net residual 28)@100ms" --rules "$rules" --openings even \
  --games "$games" --seed "$seed" --save-games "$folder/$rules-$seed.jsonl" --json >"$folder/$rules-$seed.json"
