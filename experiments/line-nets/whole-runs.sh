#!/usr/bin/env bash
# Whole runs of both kinds of nets with the quickstart's settings, and a match at equal time:
#   experiments/line-nets/whole-runs.sh RULES SEED [GAMES] [FOLDER]
# Runs that exist are continued, so the command can be repeated. The program is $TABLUT or target/release/tablut.
set -euo pipefail
rules=$1 seed=$2 games=${3:-200} folder=${4:-runs/line-nets}
tablut=${TABLUT:-target/release/tablut}
generations=28
mkdir -p "$folder"
for shape in b4c32 lines32x2; do
  "$tablut" train experiments/line-nets/whole-runs.toml --run "$folder/$shape-$rules-$seed" --set "rules=[\"$rules\"]" --set "shape=\"$shape\"" --set "seed=$seed"
done
net() { printf '%s/%s-%s-%s/checkpoints/gen-%05d.safetensors' "$folder" "$1" "$rules" "$seed" $((generations - 1)); }
# Each search has one core, with AVX2.
TABLUT_SIMD=avx2 "$tablut" match "lines=net:$(net lines32x2)@100ms" "residual=net:$(net b4c32)@100ms" --rules "$rules" --openings even \
  --games "$games" --seed "$seed" --save-games "$folder/$rules-$seed.jsonl" --json >"$folder/$rules-$seed.json"
