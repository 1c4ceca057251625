"""The program `tablut`: `python -m tablut` and the script `tablut` run it in this process."""

import sys

from ._tablut import run_program


def main() -> int:
    """Runs the program with the process's arguments, and returns its exit code."""
    return run_program(["tablut", *sys.argv[1:]], [sys.executable, "-m", "tablut"])


if __name__ == "__main__":
    sys.exit(main())
