#!/usr/bin/env bash
# A whole run of each kind of net with about the same processor time, and a match at equal time:
#   OLD=PROGRAM experiments/line-nets/whole-runs.sh RULES SEED [GAMES] [FOLDER]
# OLD is a program of commit 6493d943, the last in which residual nets learn on the cores and play there at full speed.
# Runs that exist are continued, so the command can be repeated. The program is $TABLUT or target/release/tablut.
set -euo pipefail
rules=$1 seed=$2 games=${3:-66} folder=${4:-runs/line-nets}
tablut=${TABLUT:-target/release/tablut}
old=${OLD:?the path of a program of commit 6493d943}
# As many generations as take the processor time of the residual net's 28, or less.
case $rules-$seed in
  masters-1) generations=36 ;; masters-2) generations=34 ;; masters-*) generations=38 ;;
  kvasir-3) generations=40 ;; kvasir-*) generations=36 ;;
  ashton-3) generations=44 ;; *) generations=40 ;;
esac
mkdir -p "$folder"
with=(--set "rules=[\"$rules\"]" --set "seed=$seed")
"$old" train experiments/line-nets/residual.toml --run "$folder/residual-$rules-$seed" "${with[@]}"
"$tablut" train configs/quickstart.toml --run "$folder/lines-$rules-$seed" "${with[@]}" \
  --set "schedule.generations=$generations" --set evaluation.games=0
net() { printf '%s/%s-%s-%s/checkpoints/gen-%05d.safetensors' "$folder" "$1" "$rules" "$seed" $(($2 - 1)); }
# Each search has one core, with AVX2.
TABLUT_SIMD=avx2 "$old" match "lines=net:$(net lines $generations)@100ms" "residual=net:$(net residual 28)@100ms" --rules "$rules" --openings even \
  --games "$games" --seed "$seed" --save-games "$folder/$rules-$seed.jsonl" --json >"$folder/$rules-$seed.json"
