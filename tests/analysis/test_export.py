#!/usr/bin/python3
"""test_export.py: `constella plot` and `constella export`: what they write, and their messages. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import shutil
import subprocess
import warnings

# first: it skips the test where modules are missing
from drawing import called, folder, make, ok, order_study, program, run_tests, sweep_study

import h5py
import matplotlib.colors
import matplotlib.image
import numpy as np

from constella import latex, plot, style
from constella.result import Result

order, sweep = order_study(), sweep_study()


def test_latex():
    text = latex.wide(order)
    rows = [line for line in text.splitlines() if line.startswith("0.")]
    ok(
        text.count(r"\multicolumn{2}{c}") == 2 and r"\toprule" in text and len(rows) == 4,
        "LaTeX: steps down, methods across",
        text,
    )
    widths = {line.count("&") for line in text.splitlines() if line.endswith(r"\\")}
    ok(widths == {2, 4}, "LaTeX: as many cells in every row", widths)
    ok(
        text.count("{") == text.count("}") and text.count("$") % 2 == 0 and r"\mathrm{err}_{q}" in text,
        "LaTeX: balanced, headers in mathematics",
    )
    ok(rows[0].split(" & ")[1] == f"{order.statistic('error', 'q')[0]:.2e}".replace("e-0", "e-"), "LaTeX: the numbers", rows[0])
    text = latex.wide(sweep, ["energy_max", "energy_verdict"])
    rows = [line.split(" & ") for line in text.splitlines() if re.match(r"[\d.]+ & ", line)]
    ok(
        [r[:2] for r in rows] == [[L, h] for L in ("1", "1.5", "2") for h in ("0.1", "0.05")] and "{$L_{2}$ [m]} & {$h$ [s]}" in text,
        "LaTeX: parameters and steps are rows, with units",
        text,
    )
    formats = re.search(r"\\begin\{tabular\}\{(.*)\}", text)[1]
    ok(re.fullmatch(r"(S\[table-format=\d\.\d+\]){2}(S\[table-format=1\.2e-\d\]l){2}", formats), "LaTeX: columns of siunitx", formats)
    long = [n for line in text.splitlines() for n in re.findall(r"\d[\d.]*", line) if not line.startswith(("%", "\\")) and len(n.replace(".", "")) > 4]
    ok(not long, "LaTeX: at most four digits", long)


def test_latex_compiled():
    """Every table, in one document, by pdflatex."""
    if not os.environ.get("CONSTELLA_TEST_ALL") or not shutil.which("pdflatex"):
        return ok(True, "LaTeX: compiled # SKIP runs with CONSTELLA_TEST_ALL, where pdflatex is installed")
    hostile = make("hostile", "ensemble", members=5, steps=(0.1,), title="a_b & \\frac$", methods=("a<b>", "user($1, x_2)", "c$d"), slopes=(1, 2, 3))
    tables = [latex.wide(order), latex.wide(sweep, ["energy_max", "energy_verdict", "energy_why"]), latex.wide(Result(hostile))]
    head = "\\documentclass{article}\n\\usepackage{booktabs,siunitx}\n\\begin{document}\n\\tiny\n"
    (folder / "tables.tex").write_text(head + "\n\n".join(tables) + "\\end{document}\n")
    line = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, errors="replace")
    ok(done.returncode == 0 and (folder / "tables.pdf").exists(), "LaTeX: compiled", done.stdout[-2000:])


def test_plot():
    code, _ = called("plot", file=order.path, kind="order", methods="rattle", output="figure.png")
    pixels = matplotlib.image.imread(folder / "figure.png")[..., :3]
    tone = np.array(matplotlib.colors.to_rgb(style.COLOURS[0]))
    ok(
        code == 0 and (np.abs(pixels - tone).max(axis=2) < 0.02).sum() > 500,
        "plot: the colour of the method is in the pixels",
    )
    for (file, kind), words, said in (
        (("order.h5", "ordr"), {}, "did you mean"),
        (("sweep.h5", "phase"), {"x": "x9"}, "there is no x9"),
    ):
        code, told = called("plot", file=folder / file, kind=kind, **words)
        ok(
            code == 2 and said in told and "Traceback" not in told,
            f"plot {file} {kind}: exit 2 and a message",
            told,
        )


def test_csv():
    called("export", file=order.path, output="x.csv", columns="method,error_q")
    rows = (folder / "x.csv").read_text().splitlines()
    ok(
        rows[0] == "method,error_q" and float(rows[8].split(",")[1]) == order.statistic("error", "q")[7],
        "export: CSV with all digits",
        rows,
    )


def test_taken_names():
    """Parameters and coordinates may be called like the dimensions of the result."""
    (folder / "named.sys.yaml").write_text(
        "system: named\ncoordinates: [member, y]\nparameters: {case: 1, parameter: 2, sample: 3}\nmass: [1, 1]\n"
        "potential: case*member^2 + sample*y^2 + parameter*y\nstates: {default: {q: [0.25, 1], v: [0, 0]}}\n"
    )
    (folder / "named.yaml").write_text(
        "study: conservation\nsystem: {file: named.sys.yaml, parameters: {case: [7, 8], parameter: [1, 2]}}\n"
        "end: 1\nsteps: [0.25]\nmethods: [midpoint]\ntrajectories: {members: [0]}\n"
    )
    run = program("run", "named.yaml", "--progress", "none")
    ok(run.returncode == 0, "taken names: the study runs", run.stderr)
    called("export", file=folder / "named.h5", output="named.csv")
    rows = [line.split(",") for line in (folder / "named.csv").read_text().splitlines()]
    ok([row[0] for row in rows] == ["case", "0", "1", "2", "3"], "taken names: the number of the case", rows)
    ok(
        [row[rows[0].index("case_")] for row in rows[1:]] == ["7", "7", "8", "8"],
        "taken names: the parameter",
        rows,
    )
    called("export", file=folder / "named.h5", output="motion.csv", case="0")
    rows = [line.split(",") for line in (folder / "motion.csv").read_text().splitlines()]
    ok(
        rows[1][0] == "0" and rows[1][rows[0].index("member_")] == "0.25",
        "taken names: the number of the member and the coordinate",
        rows[:2],
    )
    try:
        import h5netcdf  # noqa: F401
        import xarray
    except ImportError:
        return
    code, said = called("export", file=folder / "named.h5", output="named.nc")
    ok(code == 0, "taken names: netCDF", said)
    with xarray.open_dataset(folder / "named.nc", engine="h5netcdf") as d:
        ok(
            list(d["parameter_"].values) == [1, 2] and list(d["case_"].values) == [7, 8],
            "taken names: axes",
            d,
        )


def test_program():
    """The command lines, as the program parses them and hands them over."""
    run = program("plot", order.path, "order", "--methods", "rattle", "-o", "one.pdf", "--width=4")
    ok(run.returncode == 0 and (folder / "one.pdf").exists(), "plot: a process of its own", run.stderr)
    run = program("export", "order.h5", "--output", "y.csv", "--columns=method,error_q")
    ok(run.returncode == 0 and (folder / "y.csv").exists(), "export: a process of its own", run.stderr)
    (folder / "junk.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(200))
    for arguments, said in (
        (("plot", "junk.h5", "order"), "not a Constella result"),
        (("plot", "order.h5"), "`constella plot` needs a result and a kind of figure"),
        (("plot", "order.h5", "order", "--styl", "paper"), "did you mean '--style'?"),
        (("plot", "order.h5", "order", "--style", "papr"), "not 'papr'; did you mean 'paper'?"),
        (
            ("plot", "order.h5", "order", "--width", "wide"),
            "--width takes a number above 0 and at most 100, not 'wide'",
        ),
        (("export", "order.h5"), "--output is missing"),
        (("export", "order.h5", "-o", "x.csv", "--case", "-1"), "--case takes an integer of at least 0"),
    ):
        run = program(*arguments)
        ok(
            run.returncode == 2 and said in run.stderr and "Traceback" not in run.stderr,
            f"{' '.join(arguments)}: exit 2 and a message",
            run.stderr,
        )
    kinds = [line.split()[0] for line in program("list", "figures").stdout.splitlines()]
    ok(kinds == list(plot.KINDS), "list figures: every kind", kinds)


def test_hostile():
    """A file whose datasets have wrong shapes and types: messages, no traceback."""
    random = np.random.default_rng(5)
    wrong = (np.zeros((2, 0)), np.full(3, np.nan), np.bytes_("text"), np.arange(5)[:, None])
    for seed, value in enumerate(wrong):
        path = folder / f"hostile-{seed}.h5"
        shutil.copy(sweep.path, path)
        with h5py.File(path, "a") as f:
            names = []
            f.visititems(lambda n, d, names=names: names.append(n) if hasattr(d, "shape") else None)
            for name in random.choice(names, 25, replace=False):
                attributes, group, short = (
                    dict(f[name].attrs.items()),
                    f[name].parent,
                    name.rsplit("/", 1)[-1],
                )
                del f[name]
                group[short] = value
                group[short].attrs["role"] = attributes.get("role", "")
        for kind in ("drift", "sweep", "mechanism"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                code, said = called("plot", file=path, kind=kind, output="hostile.svg")
            if code not in (0, 2) or "Traceback" in said:
                return ok(False, f"hostile file {seed}, {kind}", said)
    ok(True, "hostile files: figures or messages")


def test_ours():
    """A command that fails on a file in which nothing is damaged says that the mistake is the program's."""
    from constella import commands, soundness

    for result in (order, sweep):
        seen = soundness.damage(result.path)
        ok(not seen, f"nothing is damaged in {result.path}", seen)
    drawn = commands.COMMANDS["plot"]
    try:
        commands.COMMANDS["plot"] = lambda args: [].undefined
        code, said = called("plot", file=order.path, kind="drift", output="ours.svg")
        ok(
            code == 1 and "AttributeError" in said and "a mistake of the program" in said,
            "a mistake of ours: exit 1, and it is called that",
            said,
        )
        shutil.copy(order.path, folder / "changed.h5")
        with h5py.File(folder / "changed.h5", "a") as f:
            f["cases/h"][0] = np.nan
        code, said = called("plot", file="changed.h5", kind="drift", output="ours.svg")
        ok(
            code == 2 and said == "changed.h5: error: is damaged: cases/h: its numbers\n",
            "on a damaged file: exit 2, and the place is named",
            said,
        )
    finally:
        commands.COMMANDS["plot"] = drawn


run_tests(globals())
