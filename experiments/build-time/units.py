#!/usr/bin/env python3
"""What each step of `.ci/run` compiles that no step before it has compiled, counted in cargo's units. Nothing is compiled.

    python3 experiments/build-time/units.py [--roots]

A unit is a crate, a test or a build script with certain features and settings. `--roots` lists the new units of crates that earlier
steps compiled in another way, if all their dependencies are shared: their features are the reason for what is compiled twice.
"""

import json
import os
import subprocess
import sys

WORKSPACE = ["--release", "--workspace"]
CHECKED = [word for name in ("rules", "kernels", "search", "games", "python") for word in ("-p", f"tablut-{name}")]
STEPS = {
    "the first command": ["build", "--release"],
    "lints": ["check", *WORKSPACE, "--all-targets"],
    "tests": ["test", *WORKSPACE],
    "tests on a GPU": ["test", *WORKSPACE, "--features", "tablut/gpu", "--test", "learner", "--test", "program"],
    "Python": ["build", "--release", "-p", "tablut-python", "--lib"],
    "checked tests": ["test", "--release", "--config", ".ci/checked.toml", *CHECKED, "--tests"],
    "fuzz targets": ["check", "--release", "--manifest-path", "fuzz/Cargo.toml", "--bins"],
}


def units(command):
    """The units of a cargo command: (crate, mode, features, keys of its dependencies) by a key of all that they depend on."""
    command = ["cargo", *command, "-Z", "unstable-options", "--unit-graph"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | {"RUSTC_BOOTSTRAP": "1"}).stdout
    graph = json.loads(printed)["units"]
    keys = {}

    def key(index):
        if index not in keys:
            unit = graph[index]
            own = {name: unit[name] for name in ("pkg_id", "target", "mode", "features", "profile", "platform")}
            dependencies = sorted((part["extern_crate_name"], key(part["index"])) for part in unit["dependencies"])
            keys[index] = hash(json.dumps([own, dependencies], sort_keys=True))
        return keys[index]

    return {
        key(index): (unit["pkg_id"].split("/")[-1], unit["mode"], unit["features"], [key(part["index"]) for part in unit["dependencies"]])
        for index, unit in enumerate(graph)
    }


def main():
    compiled = {}
    print("| step | units | new | of these tests |\n|---|--:|--:|--:|")
    for name, command in STEPS.items():
        found = units(command)
        new = {key: unit for key, unit in found.items() if key not in compiled}
        print(f"| {name} | {len(found)} | {len(new)} | {sum(unit[1] == 'test' for unit in new.values())} |")
        known = {unit[:2] for unit in compiled.values()}
        roots = [unit for unit in new.values() if unit[:2] in known and all(key in compiled for key in unit[3])]
        for crate, mode, features, _ in sorted(roots) if "--roots" in sys.argv else []:
            print(f"    {mode} {crate}: {' '.join(features)}")
        compiled |= found


if __name__ == "__main__":
    main()
