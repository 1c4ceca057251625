#!/usr/bin/env bash
# Checks that the program works on disks that refuse chmod, locks and flushing, respects the umask, keeps the permissions of files
# that it replaces, and writes through symbolic links.
#
#     cargo build --release
#     experiments/disks/run.sh [target/release/tablut]
#
# Needs a C compiler, for a library that makes these calls fail (shim.c, with LD_PRELOAD).
set -euo pipefail
program=$(realpath "${1:-target/release/tablut}")
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$here/../kills/tiny.toml" tiny.toml
cc -shared -fPIC -O1 -o shim.so "$here/shim.c"

failed=0
check() { # NAME CONDITION…
  if "${@:2}"; then printf 'ok      %s\n' "$1"; else printf 'FAILED  %s\n' "$1"; failed=1; fi
}
mode() { stat -Lc %a "$1"; }
has_mode() { [[ $(mode "$1") == "$2" ]] || { printf '        %s has %s, expected %s\n' "$1" "$(mode "$1")" "$2"; false; }; }
says() { grep -q "$2" "$1" || { sed 's/^/        /' "$1"; false; }; }

# Writes all kinds of files into a folder.
work() {
  mkdir -p "$1"
  "$program" train tiny.toml --run "$1/run" >"$1/train.out" 2>"$1/train.err" &&
    "$program" train --resume "$1/run" >>"$1/train.out" 2>>"$1/train.err" &&
    "$program" report "$1/run" >"$1/report.out" 2>&1 &&
    "$program" match random greedy --games 2 --save-games "$1/games.jsonl" >"$1/match.out" 2>&1 &&
    printf 'd1-d3\nsave %s --force\nquit\n' "$1/game.json" | "$program" play --against random --plain --side attackers >"$1/play.out" 2>&1
}
starts() { # The page's server starts and saves a game.
  "$program" serve --port 0 --folder "$1/saved" >"$1/serve.out" 2>&1 &
  local server=$!
  for _ in $(seq 100); do grep -q 'Games are saved' "$1/serve.out" && break; sleep 0.1; done
  kill "$server"
  wait "$server" || true
  grep -q 'Games are saved' "$1/serve.out"
}

preload() { LD_PRELOAD="$folder/shim.so" "$@"; }
export -f work starts
export program

(export LD_PRELOAD="$folder/shim.so"; work plain) && done=true || done=false
check "all files are written without chmod, locks and flushing" "$done"
check "train says the risk of a disk without locks" says plain/train.err 'has no locks'
(export LD_PRELOAD="$folder/shim.so"; starts plain) && done=true || done=false
check "serve starts without locks" "$done"
check "serve says the risk" says plain/serve.out 'has no locks'

for mask in 077 002 022; do
  (umask "$mask"; work "mask$mask") && done=true || done=false
  check "umask $mask: all files are written" "$done"
  wanted=$(printf '%o' $((0666 & ~0$mask)))
  for file in run/config.toml run/metrics.jsonl run/report.html run/checkpoints/gen-00000.safetensors games.jsonl game.json; do
    check "umask $mask: $file has $wanted" has_mode "mask$mask/$file" "$wanted"
  done
done
check "with the usual disk train says nothing of locks" bash -c '! grep -q locks mask022/train.err'

mkdir links elsewhere
work links >/dev/null
for file in links/run/report.html links/games.jsonl links/game.json; do
  mv "$file" elsewhere/
  ln -s "$folder/elsewhere/$(basename "$file")" "$file"
done
chmod 600 elsewhere/report.html
chmod 664 elsewhere/game.json
work links && done=true || done=false
check "links: all files are written again" "$done"
for file in links/run/report.html links/games.jsonl links/game.json; do check "links: $file is still a link" test -L "$file"; done
check "a private report stays private" has_mode elsewhere/report.html 600
check "a shared game stays shared" has_mode elsewhere/game.json 664
exit "$failed"
