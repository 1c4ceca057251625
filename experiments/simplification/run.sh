#!/bin/bash
# Times two builds in turns: bash run.sh BASE HEAD BENCH OUT
#   BASE  a `tablut` of commit 998c0a7     HEAD  a `tablut` of today
#   BENCH today's `cargo build --release -p tablut-lab --example bench`, which has the searches and the training steps
# OUT gets the JSON of every round and the folders of the short runs. table.py prints the table.
set -eu
base=$1 head=$2 bench=$3 out=$4
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out" && cd "$out"
for round in 1 2 3 4 5; do
  for which in base head; do
    program=$base; [[ $which == head ]] && program=$head
    "$program" train "$here/$which.toml" --run "run-$which-$round" --quiet > /dev/null
  done
  for which in base head; do
    program=$base lab="$base bench"; [[ $which == head ]] && program=$head lab=$bench
    $lab search --solver deep --secs 3 --json > "search-$which-$round.json"
    $lab training --shape b4c32 --batch 256 --threads 2 --steps 20 --json > "training-$which-$round.json"
    for threads in 1 2; do
      "$program" bench inference --shape b4c32 --threads $threads --secs 3 --json > "inference-$threads-$which-$round.json"
    done
  done
done
