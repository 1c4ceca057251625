"""The package itself: what it needs, its type stubs, its documents and notebooks."""

import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import tablut
from conftest import ROOT

PACKAGE = Path(tablut.__file__).parent


def test_it_needs_numpy_alone():
    needs = [need for need in metadata.requires("tablut") if "extra ==" not in need]
    assert [re.split(r"[<>=!~ ]", need)[0] for need in needs] == ["numpy"]
    code = "import sys, tablut; print([name for name in ('pettingzoo', 'gymnasium', 'pyspiel', 'torch', 'pandas') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_everything_public_is_documented():
    for name in tablut.__all__:
        thing = getattr(tablut, name)
        if name == "__version__":
            continue
        assert thing.__doc__ and len(thing.__doc__) > 15, name
        if inspect.isclass(thing):
            for part, member in vars(thing).items():
                if not part.startswith("_") and part not in vars(Exception):
                    assert getattr(member, "__doc__", None), f"{name}.{part}"


def test_the_type_stubs_are_true(tmp_path):
    pytest.importorskip("mypy", reason="mypy checks the stubs, and it is not installed")
    config, allowed = tmp_path / "mypy.ini", tmp_path / "allowed"
    config.write_text("[mypy]\nignore_missing_imports = True\n[mypy-torch.*]\nfollow_imports = skip\n")
    # OpenSpiel's classes have no stubs, and `tablut.torch` can be imported only with PyTorch.
    has_torch = importlib.util.find_spec("torch") is not None
    allowed.write_text("tablut.openspiel.Tablut(Game|State)\n" + ("" if has_torch else "tablut.torch\n"))
    command = [sys.executable, "-m", "mypy.stubtest", "tablut", "--mypy-config-file", config, "--allowlist", allowed, "--concise"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (PACKAGE / "py.typed").exists()


def python_blocks(path):
    """The blocks of Python in a document."""
    return re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)


def test_the_guides_examples_run(tmp_path, monkeypatch):
    pytest.importorskip("pettingzoo")
    pytest.importorskip("pyspiel")
    monkeypatch.chdir(tmp_path)
    blocks = python_blocks(ROOT / "docs" / "python.md")
    if importlib.util.find_spec("torch") is None:
        blocks = [block for block in blocks if "torch" not in block]
    assert len(blocks) >= 6
    space = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), space)  # noqa: S102 - it is our own


def test_the_docstrings_examples_run():
    import doctest
    import importlib

    pytest.importorskip("pettingzoo")
    pytest.importorskip("pyspiel")
    n_tried = 0
    names = ["tablut", "tablut.pettingzoo", "tablut.gymnasium", "tablut.openspiel", "tablut.vector"]
    for name in names + (["tablut.torch"] if importlib.util.find_spec("torch") else []):
        result = doctest.testmod(importlib.import_module(name))
        assert result.failed == 0, name
        n_tried += result.attempted
    assert n_tried > 15


NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))
NEEDS = {"your-own-net.ipynb": ["torch"], "train-in-five-minutes.ipynb": ["pandas"], "analyse-a-game.ipynb": []}


def test_the_notebooks_are_the_three():
    assert [path.name for path in NOTEBOOKS] == sorted(NEEDS)
    for path in NOTEBOOKS:
        assert path.stat().st_size < 30_000, f"{path.name} is large: remove its outputs"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_with_small_settings(path, tmp_path):
    for package in NEEDS[path.name]:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{path.name} needs {package}, which is not installed")
    arguments = dict(os.environ, NOTEBOOK_SMALL="1", OMP_NUM_THREADS="1")
    cells = json.loads(path.read_text())["cells"]
    code = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    script = tmp_path / "notebook.py"
    script.write_text("def display(*things):\n    print(*things)\n\n\n" + code)
    done = subprocess.run([sys.executable, script], cwd=tmp_path, env=arguments, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
