"""Calls of the program, for the scripts of the experiments.

A script in a folder of its own finds this file with `sys.path.append(str(Path(__file__).parents[1]))`.
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

# All rule sets that come with the program.
RULES = [
    "piecepack", "piecepack-open-castle", "piecepack-defenders-first", "imperial", "ludoteka", "linnaeus", "linnaeus-open-camps",
    "masters", "masters-weak-king", "masters-armed-king", "masters-edge", "kvasir", "tartu", "ashton",
    "brandubh", "brandubh-weak-king", "copenhagen", "fetlar", "tawlbwrdd", "tawlbwrdd-lewis",
]
# What may differ between two calls that give the same result, with how many words follow.
WITHOUT_EFFECT = {"--threads": 1, "--save-games": 1, "-q": 0, "--quiet": 0}


def call(command, **process):
    """What a command prints. Its failure ends the script."""
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, **process)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}; build it with `cargo build --release`, or name another with --binary")
    if done.returncode != 0:
        complaint = f"\n{done.stderr}" if done.stderr else ""
        sys.exit(f"exit code {done.returncode}: {' '.join(command)}{complaint}")
    return done.stdout


def call_once(out, command, **process):
    """Keeps what a command prints in the file `out`, and does not call it again. Whether it was called now.

    The command stands in a file beside `out`, with the hashes of its nets. A result of another command or of other nets ends
    the script: it is not the one that is asked for.
    """
    asked = described(command)
    note = out.with_suffix(".command")
    if out.exists():
        if note.exists() and json.loads(note.read_text()) != asked:
            sys.exit(f"{out} was made in another way than is asked for now (see {note}): use another folder")
        return False
    found = call(command, **process)
    note.write_text(json.dumps(asked, indent=1))
    out.write_text(found)
    return True


def described(command):
    """A command without its binary and without what has no effect on the result, and the hashes of the nets in it."""
    rest = [str(part) for part in command[1:]]
    words = []
    while rest:
        word = rest.pop(0)
        if word in WITHOUT_EFFECT:
            rest = rest[WITHOUT_EFFECT[word] :]
        else:
            words.append(word)
    nets = {path for word in words for path in re.findall(r"net:([^@]+)", word)}
    hashes = {path: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in sorted(nets) if Path(path).is_file()}
    return {"command": words, "nets": hashes}


def net_hash(binary, net):
    """The hash of a net's weights."""
    return re.search(r"^hash +([0-9a-f]{64})", call([binary, "model", "info", net]), re.MULTILINE)[1]


def checkpoints(run):
    """The nets in a run's folder, oldest first."""
    found = [path for path in run.glob("checkpoints/gen-*.safetensors") if not path.name.endswith(".state.safetensors")]
    return sorted(found, key=lambda path: int(path.name.split("-")[1].split(".")[0]))
