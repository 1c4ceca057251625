#!/usr/bin/env bash
# The balance of kvasir's rules with the edge and with the corners to escape to: by the workshop, and by matches with the changed rule file.
# Arguments: games of the workshop at each strength, games of a match.
set -euo pipefail
cd "$(dirname "$0")/../.."
workshop_games=${1:-80}
match_games=${2:-200}
out=experiments/workshop
cargo build --release --workspace --example workshop --bin tablut
files=$(mktemp -d)
trap 'rm -r "$files"' EXIT
target/release/examples/workshop kvasir "$workshop_games" > "$files/workshop.jsonl" 2> "$files/kvasir.toml"
target/release/examples/workshop kvasir "$workshop_games" escape=corners >> "$files/workshop.jsonl" 2> "$files/my-kvasir.toml"
for rules in kvasir "$files/my-kvasir.toml"; do
  for simulations in 16 64; do
    target/release/tablut match "one-$simulations=net:shipped@$simulations" "other-$simulations=net:shipped@$simulations" \
      --rules "$rules" --games "$match_games" --max-plies 400 --seed 7 --json |
      python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["matches"][0]))' >> "$files/matches.jsonl"
  done
done
# Only when all has been played: the results before are not lost by a failure.
mv "$files/workshop.jsonl" "$files/matches.jsonl" "$out/"
python3 "$out/compare.py"
