"""The package itself: what it needs, its type stubs, its documents and notebooks."""

import ast
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
import tablut._tablut as compiled
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


def _names(body):
    found = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = set(_names(node.body)) | {
                part.target.id for part in node.body if isinstance(part, ast.AnnAssign)
            }
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = None
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = None
    return found


def test_the_type_stubs_name_what_is_there():
    stubs = _names(ast.parse((PACKAGE / "_tablut.pyi").read_text()).body)
    stubs = {name: members for name, members in stubs.items() if not name.startswith("_") or name == "__version__"}
    public = {name for name in vars(compiled) if not name.startswith("__")} | {"__version__"}
    assert set(stubs) - {"Branch", "Line", "Evaluator"} == public
    for name in public:
        kind = getattr(compiled, name)
        if inspect.isclass(kind) and not issubclass(kind, Exception):
            members = {part for part in vars(kind) if not part.startswith("_")}
            stated = {part for part in stubs[name] if not part.startswith("_")}
            assert stated == members, name
    assert (PACKAGE / "py.typed").exists()


def test_signatures_of_functions_and_stubs_agree():
    tree = ast.parse((PACKAGE / "_tablut.pyi").read_text())

    def arguments(node):
        parts = node.args
        return [part.arg for part in parts.posonlyargs + parts.args + parts.kwonlyargs if part.arg not in ("self", "cls")]

    def check(node, thing):
        signature = [name for name in inspect.signature(thing).parameters if name not in ("self", "cls")]
        assert arguments(node) == signature, node.name

    n_checked = 0
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            check(node, getattr(compiled, node.name))
            n_checked += 1
        elif isinstance(node, ast.ClassDef) and hasattr(compiled, node.name):
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and not part.name.startswith("_") and not part.decorator_list:
                    check(part, getattr(getattr(compiled, node.name), part.name))
                    n_checked += 1
    assert n_checked > 30


def python_blocks(path):
    """The blocks of Python in a document."""
    return re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)


def test_the_guides_examples_run(tmp_path, monkeypatch):
    pytest.importorskip("pettingzoo")
    pytest.importorskip("pyspiel")
    monkeypatch.chdir(tmp_path)
    blocks = python_blocks(ROOT / "docs" / "python.md")
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
    for name in ["tablut", "tablut.pettingzoo", "tablut.gymnasium", "tablut.openspiel", "tablut.vector"]:
        result = doctest.testmod(importlib.import_module(name))
        assert result.failed == 0, name
        n_tried += result.attempted
    assert n_tried > 15


NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))
NEEDS = {"train-a-net.ipynb": ["torch"], "analyse-a-run.ipynb": ["pandas"], "play-and-look.ipynb": []}


def test_the_notebooks_are_the_three():
    assert [path.name for path in NOTEBOOKS] == sorted(NEEDS)
    for path in NOTEBOOKS:
        assert path.stat().st_size < 30_000, f"{path.name} is large: remove its outputs"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_with_small_settings(path, tmp_path, request):
    for package in NEEDS[path.name]:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{path.name} needs {package}, which is not installed")
    arguments = dict(os.environ, NOTEBOOK_SMALL="1")
    if path.name == "analyse-a-run.ipynb":
        # It analyses a run, and the program makes one.
        program = request.getfixturevalue("program")
        config = tmp_path / "config.toml"
        config.write_text(
            'rules = ["kvasir", "tartu"]\nshape = "lines32x1"\n[schedule]\ngenerations = 3\ngames = 16\nsimulations = [[0, 4]]\n'
            "[selfplay]\nmax_plies = 60\n[evaluation]\nagainst = []\ngames = 2\nrating_share = 0.0\n"
        )
        program.text("train", config, "--run", tmp_path / "run", "--quiet", "--plain")
        arguments["NOTEBOOK_RUN"] = str(tmp_path / "run")
    cells = json.loads(path.read_text())["cells"]
    code = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    script = tmp_path / "notebook.py"
    script.write_text("def display(*things):\n    print(*things)\n\n\n" + code)
    done = subprocess.run([sys.executable, script], cwd=tmp_path, env=arguments, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
