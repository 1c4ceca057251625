#!/usr/bin/env bash
# Scores of nets on boards of 7 and 11 squares: run.sh PROGRAM UNTRAINED_NET [NET…]. A finished match is kept in the folder `runs/boards`.
set -euo pipefail
program=$1 untrained=$2
shift 2
mkdir -p runs/boards
for net in shipped "$@"; do
  for rules in brandubh copenhagen; do
    for opponent in greedy alphabeta:1 alphabeta:2 "untrained=net:$untrained@128"; do
      out=runs/boards/$(basename "$net")-$rules-${opponent//[^a-z0-9]/-}.json
      [[ -s $out ]] || "$program" match "net:$net@128" "$opponent" --rules "$rules" --games 100 --json >"$out"
    done
  done
done
