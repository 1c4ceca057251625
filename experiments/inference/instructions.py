#!/usr/bin/env python3
"""Counts the instructions of an evaluation, and of learning a sample, with AVX2 and NEON under qemu: instructions.py X86 ARM

X86 and ARM are the program `evaluations` of tablut-net for each machine. qemu logs the instructions of each block of code when
it translates it, and each execution of a block. The count is the difference between three rounds over some positions and one,
so start and tables of lines do not count.
"""

import collections
import os
import subprocess
import sys
import tempfile

POSITIONS = "14"
ROUNDS = (1, 3)


def instructions(emulator, cpu, program, simd, file, rounds, work):
    """Instructions by function."""
    command = [emulator, "-cpu", cpu, "-d", "in_asm,exec,nochain", "-D", "/dev/stderr"]
    if "aarch64" in emulator:
        command += ["-L", "/usr/aarch64-linux-gnu"]
    command += [program, file, str(rounds), *work]
    env = {**os.environ, "TABLUT_SIMD": simd, "RAYON_NUM_THREADS": "1"}
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)
    length, executions, block = {}, collections.Counter(), None
    for line in run.stderr:
        if line.startswith(b"Trace"):
            executions[line[line.index(b"/") + 1 :]] += 1
        elif line.startswith(b"IN:"):
            block = None
        elif line.startswith(b"0x"):
            address = int(line[2:18].split(b":")[0], 16)
            block = address if block is None else block
            length[block] = length.get(block, 0) + 1 if block != address else 1
    if run.wait() != 0:
        sys.exit(f"{' '.join(command)} failed")
    by_function = collections.Counter()
    for place, count in executions.items():
        address, *_, name = place.decode().strip().replace("]", "/").split("/")
        by_function[name.strip()] += count * length[int(address, 16)]
    return by_function


def main():
    x86, arm = sys.argv[1:]
    levels = {
        "AVX2": ("qemu-x86_64-static", "max", x86, "avx2"),
        "NEON with dot products": ("qemu-aarch64-static", "max", arm, "neon"),
        "NEON without": ("qemu-aarch64-static", "cortex-a53", arm, "neon"),
    }
    with tempfile.NamedTemporaryFile() as file:
        file.write(subprocess.run([x86, POSITIONS, "9"], capture_output=True, check=True).stdout)
        file.flush()
        for what, work in {"an evaluation": [], "a sample": ["learn"]}.items():
            each = {}
            for level, (emulator, cpu, program, simd) in levels.items():
                few, many = (instructions(emulator, cpu, program, simd, file.name, rounds, work) for rounds in ROUNDS)
                n = int(POSITIONS) * (ROUNDS[1] - ROUNDS[0])
                many.subtract(few)
                each[level] = sum(many.values()) / n
                print(f"{level}: {each[level]:,.0f} instructions {what}, {each[level] / each['AVX2']:.2f} times AVX2's")
                for name, count in many.most_common(8):
                    print(f"    {count / n:10,.0f}  {name[:100]}")


main()
