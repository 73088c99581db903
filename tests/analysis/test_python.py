#!/usr/bin/python3
"""test_python.py: the package in a notebook's hands: runs that are repeated, systems given as text, paths,
messages, short forms, comparison, types, installation, and a notebook. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
# first: it skips the test where modules are missing
from drawing import ANALYSIS, HERE, ORDER, PENDULUM, PROGRAM, folder, ok, order_study, refused, run_tests, sweep_study

import contextlib
import importlib.util
import json
import os
import pathlib
import pydoc
import shutil
import subprocess
import sys

import h5py
import numpy as np

import constella

ALL = bool(os.environ.get("CONSTELLA_TEST_ALL"))
NOTEBOOK = HERE.parents[1] / "jobs" / "python" / "notebook.ipynb"
order, sweep = order_study(), sweep_study()
SMALL = {**ORDER, "methods": ["rattle"], "steps": [0.1, 0.05]}


def installed(*modules):
    return all(importlib.util.find_spec(name) for name in modules)


def skip(name, why):
    ok(True, f"{name} # SKIP {why}")


def started(path):
    with h5py.File(path) as file:
        return file["run"].attrs["started_unix"], os.stat(path).st_mtime_ns


def test_paths():
    """Paths in a dict and in a text are relative to the working folder, and no file of the study is left."""
    place = folder / "place"
    (place / "below").mkdir(parents=True)
    (place / "mine.yaml").write_text(PENDULUM)
    text = json.dumps({**SMALL, "system": {"file": "../mine.yaml"}})
    with contextlib.chdir(place):
        r = constella.run({**SMALL, "system": {"file": "mine.yaml"}}, "a.h5", progress=False)
        whole = constella.run({**SMALL, "system": {"file": pathlib.Path("mine.yaml")}}, "c.h5", progress=False)
    with contextlib.chdir(place / "below"):
        constella.run(text + "\n", "b.h5", progress=False)
    ok(r.complete and r.system == "pendula", "paths: a file of a dict is in the working folder")
    ok(r.compare(whole).same and not r.compare(whole).study, "paths: a pathlib.Path in a dict is its text", whole.study)
    ok(sorted(p.name for p in (place / "below").iterdir()) == ["b.h5"], "paths: of a text; nothing is left over")


def test_again():
    """A cell that runs again."""
    path = folder / "again.h5"
    with contextlib.chdir(folder):
        constella.run(SMALL, path, progress=False)
        before = started(path)
        again = constella.run(SMALL, path, progress=False)
        ok(started(path) == before and again.complete, "again: the same study is opened, not computed")
        changed = {**SMALL, "end": 2}
        ok(
            refused(lambda: constella.run(changed, path, progress=False), "holds another study", "end: 2", "overwrite=True"),
            "again: another study; the message tells what differs",
        )
        ok(
            refused(lambda: constella.run({**SMALL, "system": PENDULUM.replace("1.5", "1.6")}, path, progress=False), "another study"),
            "again: another system under the same name",
        )
        ok(refused(lambda: constella.run(SMALL, path, progress=False, resume=False), "exists"), "again: resume=False")
        path = pathlib.Path(shutil.copy(path, folder / "copied.h5"))
        with h5py.File(path, "a") as file:
            file.attrs["git"] = "another"
        before = started(path)
        ok(
            refused(lambda: constella.run(SMALL, path, progress=False), "another program", "another)", "overwrite=True"),
            "again: the result of another program",
        )
        replaced = constella.run(SMALL, path, progress=False, overwrite=True)
    ok(replaced.complete and started(path) != before, "again: overwrite=True computes")


def test_whole_system():
    """A system in a dict, with parameters of the study, also of numpy."""
    swept = {**SMALL, "system": {"file": PENDULUM, "parameters": {"L2": np.array([1.0, 1.25])}}}
    with contextlib.chdir(folder):
        r = constella.run(swept, folder / "whole.h5", progress=False)
    ok(
        sorted({c.variant for c in r.curves()}) == ["L2 = 1", "L2 = 1.25"],
        "whole system: its parameters are swept",
        r.study,
    )
    bad = {**SMALL, "system": {"file": PENDULUM, "parameters": {"L3": 1}}}
    with contextlib.chdir(folder):
        ok(refused(lambda: constella.run(bad, "no.h5", progress=False), "L3", "L2"), "whole system: a wrong parameter")


def test_messages():
    """Every message names the file, and the nearest of what there is."""
    name = str(order.path)
    for do, words, what in (
        (lambda: order.select("ratle"), ('did you mean "rattle"?', name), "select"),
        (lambda: order.statistic("eror", "q"), ('did you mean "error of q"?', name), "statistic"),
        (lambda: sweep.trajectory(99), ("case 99", str(sweep.path)), "trajectory"),
        (lambda: constella.plot.histograms(order), ("nothing to draw", name), "a figure without data"),
        (lambda: constella.plot.figure("odrer", order), ('did you mean "order"?',), "a kind of figure"),
        (lambda: constella.plot.order(order, metods="rattle"), ('did you mean; "methods"'.replace(";", ""),), "an option"),
        (lambda: constella.open(folder / "none.h5"), ("none.h5: No such file",), "open"),
        (lambda: sweep.trajectory(0)["x11"], ('did you mean "x1"?',), "an expression"),
        (lambda: constella.run({**SMALL, "end": {1, 2}}), ("no place for {1, 2}",), "a dict"),
    ):
        ok(refused(do, *words), f"messages: {what}")
    for do, word in ((lambda: order.eror, '"error"'), (lambda: constella.plot.odrer, '"order"'), (lambda: constella.opn, '"open"')):
        try:
            do()
            said = "nothing"
        except AttributeError as e:
            said = str(e)
        ok(f"did you mean {word}?" in said, f"messages: an attribute near {word}", said)
    ok("error" in dir(order), "messages: roles are listed by dir()")
    if installed("xarray"):
        ok(refused(lambda: order.error.sel(method="ratle"), 'did you mean "rattle"?'), "messages: sel of a method")
        ok(refused(lambda: order.error.q.sel(step=0.3), "0.1"), "messages: sel of a step")
        one = order.error.q.sel(method="rattle")
        ok(one.name == "q" and one.dims == ("step",), "messages: sel(method=...) of a variable", one)


def test_names_as_text():
    """y="x1" is one name, not its letters."""
    fig = constella.plot.trajectory(sweep, y="x1, x2")
    labels = [ax.get_ylabel() for ax in fig.axes if ax.get_ylabel()]
    ok(labels == ["$x_{1}$ [m]", "$x_{2}$ [m]"], "names as text: y", labels)
    fig = constella.plot.phase(sweep, x="x1", y="p_x1", members=1)
    ok({ax.get_ylabel() for ax in fig.axes} == {r"$p_{\mathrm{x1}}$"}, "names as text: x and y; one member")


def test_short_forms():
    track = sweep.trajectory(0)
    ok(len(repr(track)) < 250 and "from 0 to 20" in repr(track), "short forms: a trajectory", repr(track))
    page = sweep._repr_html_()
    ok(page.count("<tr>") == 13 and "12 cases" in page and "rattle" in page, "short forms: a table of a result", page)
    ok("<td>m</td>" in track._repr_html_(), "short forms: a table of a trajectory")
    told = pydoc.plain(pydoc.render_doc(constella.run))
    ok("    Parameters\n    ----------\n    study : path, str or dict\n" in told, "short forms: help(constella.run)", told)
    told = pydoc.plain(pydoc.render_doc(constella.Result))
    ok("- `failures`: sentences\n" in told, "short forms: help(constella.Result)")


def test_compare():
    same = order.compare(order.path)
    ok(same.same and "8 cases that both have are equal in all bits" in repr(same), "compare: with itself", same)
    with contextlib.chdir(folder):
        other = constella.run({**ORDER, "methods": ["rattle", "rk4"], "end": 1.5}, "other.h5", progress=False)
    found = order.compare(other)
    ok(
        not found.same
        and len(found.alone[order.path]) == len(found.alone[other.path]) == 4
        and found.common == 4
        and "- end: 1" in found.study
        and any(d.column == "error_q" and d.relative > 1e-3 for d in found.differences),
        "compare: studies, cases and columns",
        found,
    )
    at = next(d for d in found.differences if d.column == "error_q")
    ok(at.a == order.statistic("error", "q")[4], "compare: the values are those of the columns", at)
    ok("/final/q" in found.data, "compare: data by case", found.data)
    ok("<table>" in found._repr_html_(), "compare: as a table")
    if installed("pandas"):
        ok(len(found.table()) == len(found.differences), "compare: as a pandas table")


def test_ranks():
    """A refused study under mpirun: its message alone."""
    try:
        constella.run({**SMALL, "methods": ["ratle"]}, folder / "ranks.h5", ranks=2, progress=False)
        said = ""
    except constella.ConstellaError as e:
        said = str(e)
    ok("did you mean 'rattle'" in said and "mpirun" not in said and "prterun" not in said and "----" not in said, "ranks: no words of mpirun", said)


def test_installed():
    """In a virtual environment, without network."""
    if not ALL or not installed("pip", "setuptools", "wheel", "venv"):
        return skip("installed", "runs with CONSTELLA_TEST_ALL; needs python3-pip, python3-setuptools, python3-wheel and python3-venv")
    sources, environment = folder / "analysis", folder / "venv"
    shutil.copytree(ANALYSIS, sources, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    line = [python, "-m", "pip", "install", "-q", "--no-index", "--no-build-isolation", "--no-compile", sources]
    made = subprocess.run(line, capture_output=True, text=True)
    ok(made.returncode == 0, "installed: by pip", made.stderr)
    code = "import constella, os; p = os.path.dirname(constella.__file__); print(p, sorted(os.listdir(p)))"
    told = subprocess.run([python, "-c", code], capture_output=True, text=True, cwd=folder).stdout
    files = [p.name for p in (ANALYSIS / "constella").iterdir() if p.is_file()]
    ok(str(environment) in told and all(name in told for name in files), "installed: every file", told)
    release = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout.split()[1]
    ok(f'version = "{release}"' in (ANALYSIS / "pyproject.toml").read_text(), "installed: the release of the program")


def test_types():
    if not ALL or not shutil.which("mypy"):
        return skip("types", "mypy runs with CONSTELLA_TEST_ALL, where it is installed")
    said = subprocess.run(["mypy", "--cache-dir", folder / "mypy"], cwd=ANALYSIS, capture_output=True, text=True)
    ok(said.returncode == 0, "types: mypy finds nothing", said.stdout)


def test_notebook():
    """Its cells, one after the other, twice: in this process, and by Jupyter with CONSTELLA_TEST_ALL."""
    place = folder / "notebook"
    place.mkdir()
    book = json.loads(NOTEBOOK.read_text())
    cells = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    ok(not any(cell.get("outputs") for cell in book["cells"]), "notebook: is kept without outputs")
    names: dict = {}
    with contextlib.chdir(place):
        for cell in [*cells, *(c for c in cells if "constella.run" in c)] if ALL and installed("pandas", "xarray") else []:
            exec(compile(cell, str(NOTEBOOK), "exec"), names)
    ok(not names or "reference" in repr(names["finer"].compare(names["order"])), "notebook: its cells run, those with studies twice")
    if not ALL or not installed("nbclient", "nbformat", "ipykernel", "pandas", "xarray"):
        return skip("notebook: by Jupyter", "runs with CONSTELLA_TEST_ALL, where nbclient and ipykernel are installed")
    import nbclient
    import nbformat

    os.environ |= {"PYTHONPATH": str(ANALYSIS), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    done = nbclient.NotebookClient(
        nbformat.read(NOTEBOOK, 4), timeout=120, resources={"metadata": {"path": str(place)}}
    ).execute()
    shown = [out for cell in done.cells for out in cell.get("outputs", [])]
    kinds = {kind for out in shown for kind in out.get("data", {})}
    ok({"text/html", "image/png"} <= kinds, "notebook: by Jupyter, with tables and figures", kinds)


run_tests(globals())
