"""test_papers.py: jobs/papers/tables.py: the largest steps of every table of brugnano.toml agree,
disagreement is detected, digits are counted as documented. statements.py: measurements by a script and by a
study are as stated, and false statements are detected. all: rows of coverage.toml and of its page, which fail if a
stated number is another. tao-owhadi-crossings.py: the same of ensembles."""
# SPDX-License-Identifier: BSD-2-Clause
import contextlib
import functools
import importlib.util
import io
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tomllib
import types

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from importlib.machinery import SourceFileLoader

from cli import ENVIRONMENT, FOLDER, PROGRAM, done, ok, path, run, scratch, skip, table, together, write
from printed import tight

PAPERS = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "papers"
sys.path.insert(0, str(PAPERS))

import agreement  # noqa: E402
import statements  # noqa: E402
import studies  # noqa: E402
import numpy as np  # noqa: E402

ROWS = 3
PAPER = tomllib.loads((PAPERS / "brugnano.toml").read_text())
# printed, measured, digits that agree
DIGITS = [
    ("2.5700e-02", 2.57004e-02, 5),
    ("2.5700e-02", 2.57006e-02, 4),
    ("2.5700e-02", 2.56940e-02, 3),
    ("2.5700e-02", 2.5e-02, 1),
    ("2.5700e-02", 2.4e-02, 1),
    ("2.5700e-02", 2.0e-02, 0),
    ("2.5700e-02", -2.5700e-02, 0),
    ("2.5700e-02", 0.0, 0),
    ("9.9996e-01", 1.000005e00, 4),
    ("9.9996e-01", 9.99962e-01, 5),
    ("1.1543e+00", 1.15429, 5),
    ("2e-06", 2.4e-06, 1),
    ("2e-06", 2.6e-06, 0),
]
# the steps of a study, what its first three are
SHORTENED = [
    ("steps: {from: 0.1, halvings: 8}", "steps: {from: 0.1, halvings: 2}"),
    ("steps: {from: 0.1, halvings: 1}", "steps: {from: 0.1, halvings: 1}"),
    ("steps: {counts: [100, 200, 300, 400]}", "steps: {counts: [100, 200, 300]}"),
    ("steps: [0.1, 0.05]", "steps: [0.1, 0.05]"),
    ("methods: [a, b, c, d]", "methods: [a, b, c, d]"),
]
STUDY = """study: order
system: planar-pendulum
end: 1.0
steps: {counts: [10, 20, 40]}
methods: [rattle, shake]
reference: exact
observables: [energy, "pull: lambda_rod"]
"""
SMALL = """source = "nowhere"
[columns]
rattle = {{heading = "error", measured = "error_p", digits = 5, method = "rattle"}}
shake = {{heading = "error", measured = "error_p", digits = 4, method = "shake"}}
rate = {{measured = "rate", within = 0.01, method = "rattle"}}
pull = {{measured = "/observables/pull", bound = {bound}, method = "rattle"}}
[tables.small]
title = "Two methods side by side"
study = "small.yaml"
row = "h"
columns = ["rattle", "rate", "shake", "pull"]
[[tables.small.blocks]]
title = "all"
rows = '''
{rows}
'''
"""


def command(paper, folder, *words, script="tables.py"):
    """Runs tables.py, or another."""
    line = [sys.executable, str(PAPERS / script), str(paper), "-o", str(folder), *map(str, words)]
    return subprocess.run(
        line,
        env={**ENVIRONMENT, "CONSTELLA": PROGRAM},
        cwd=FOLDER,
        capture_output=True,
        text=True,
        timeout=1000,
    )


def counted(text):
    """(values, those that follow the rule, disagreeing) of all tables, from the last lines."""
    found = re.search(r"^all +(\d+) of (\d+) .* (\d+)$", text, re.M)
    return (int(found[2]), int(found[1]), int(found[3])) if found else (0, 0, 0)


def test_digits():
    for printed, measured, wanted in DIGITS:
        found = agreement.agreeing_digits(printed, measured)
        ok(found == wanted, f"{measured:g} agrees with {printed} to {wanted} digits", found)
    ok(
        not agreement.judge_digits("2.5700e-02", float("nan"), 1)[0],
        "nothing agrees with what is not a number",
    )
    ok(
        agreement.judge_within("2.00", 2.0149, 0.01)[0]
        and not agreement.judge_within("2.00", 2.0151, 0.01)[0],
        "a rate is within 0.01 after rounding",
    )
    ok(
        not agreement.judge_within("2.00", float("nan"), 0.01)[0]
        and not agreement.judge_bound("0", float("nan"), 1)[0],
        "nor is it within a bound",
    )


def test_shortened():
    for text, wanted in SHORTENED:
        ok(
            studies.shortened(text + "\n", ROWS) == wanted + "\n",
            f"{text}: its first {ROWS} steps",
            studies.shortened(text, ROWS),
        )
    frame = "-" * 74 + "\nPrimary job  terminated normally, but 1 process returned\na non-zero exit code.\n" + "-" * 74 + "\n"
    said = studies.without_mpirun(f"constella: 1 of 2 failed\n{frame}{frame}")
    ok(said == "constella: 1 of 2 failed", "the frame of mpirun is not repeated", said)


def printed_numbers(label):
    """How many cells the first rows of a table hold."""
    rows = [
        line.split()[1:]
        for block in PAPER["tables"][label]["blocks"]
        for line in block["rows"].strip().splitlines()[:ROWS]
    ]
    return sum(cell != "-" for row in rows for cell in row)


def test_paper():
    """The largest steps of every table, and the controls."""
    labels = [label for label, item in PAPER["tables"].items() if "blocks" in item and "control" not in item]
    controls = [label for label, item in PAPER["tables"].items() if "control" in item]
    folder = scratch()
    process = command(PAPERS / "brugnano.toml", folder, "--rows", ROWS, "--only", *labels, *controls)
    ok(
        process.returncode == 0,
        "the largest steps of every table agree",
        process.stderr,
        *re.findall(r"^.*DISAGREES.*$", process.stdout, re.M),
    )
    for label in labels:
        section = re.search(rf"^{label}: .*?(?=^\S+: |^Numbers of)", process.stdout, re.M | re.S)
        lines = re.findall(
            r"^.* \d\S*\s+(?:\d digits|off by|bound) ?.*$", section[0] if section else "", re.M
        )
        ok(
            len(lines) == printed_numbers(label) > 0,
            f"{label}: a line for each printed number",
            len(lines),
            printed_numbers(label),
        )
    ok(
        counted(process.stdout)[2] == 0 and counted(process.stdout)[0] > 80,
        "none disagrees",
        process.stdout[-800:],
    )
    for label in controls:
        ok(
            re.search(rf"^  ok   {label}: .*gree \(", process.stdout, re.M),
            f"control {label} is told apart",
            process.stdout[-800:],
        )
    ok(
        all((pathlib.Path(folder) / f"brugnano-{label}.h5").exists() for label in labels),
        "results stay in the folder",
    )
    tight("brugnano.toml", folder, ROWS)


def test_springs():
    """All of the paper whose numbers are those of another implementation."""
    folder = scratch()
    process = command(PAPERS / "tao-owhadi.toml", folder)
    ok(
        process.returncode == 0,
        "springs: all numbers agree",
        process.stderr,
        *re.findall(r"^.*DISAGREES.*$", process.stdout, re.M),
    )
    ok(
        counted(process.stdout)[2] == 0 and counted(process.stdout)[0] > 140,
        "springs: none disagrees",
        process.stdout[-800:],
    )
    tight("tao-owhadi.toml", folder, None)


DNA = """source = "nowhere"
[ensembles.crossings]
title = "Late by a third"
study = "tao-owhadi-dna.yaml"
of = "crossing"
starts = 64
[[ensembles.crossings.blocks]]
step = 2
every = 1
rows = '''
  {mean}  5.84  zhang-skeel(beta=0.3, form=simplified)
'''
"""


def test_transitions():
    """First crossings of the DNA chain by one method; what is outside the spread is told."""
    for mean, status in ((118.8, 0), (90.0, 1)):
        folder = pathlib.Path(scratch()) / "papers"
        (folder / "../systems").mkdir(parents=True)
        shutil.copy(PAPERS / "../systems/dna-closed.yaml", folder / "../systems")
        shutil.copy(PAPERS / "tao-owhadi-dna.yaml", folder)
        (folder / "dna.toml").write_text(DNA.format(mean=mean))
        process = command(folder / "dna.toml", folder / "results", script="tao-owhadi-crossings.py")
        ok(
            process.returncode == status and process.stdout.count("  NOT  ") == status,
            f"a mean of {mean}: exit status {status}",
            process.stdout,
            process.stderr,
        )


def test_matrices():
    """What section 4.5 prints, and what its Lagrangian gives; the families with functions from text."""
    folder = scratch()
    only = ["--only", "matrices", "tao-owhadi-body-long", "family"]
    process = command(PAPERS / "tao-owhadi-statements.toml", folder, "--ranks", 0, *only, script="statements.py")
    count = re.search(r"^(\d+) of (\d+) as stated$", process.stdout, re.M)
    ok(
        process.returncode == 0 and count and int(count[1]) == int(count[2]) > 10,
        "section 4.5 as derived, and as printed",
        process.stdout,
        process.stderr,
    )


@functools.cache
def end_multipliers():
    """What the script of that name prints; it is run once."""
    told = subprocess.run([sys.executable, str(PAPERS / "end_multipliers.py")], capture_output=True, text=True)
    ok(told.returncode == 0, "a script measures", told.stderr)
    return told.stdout


def stated(old="", new=""):
    """statements.py for what a script and the quickest study measure of a paper, in which a text may be
    another."""
    folder = pathlib.Path(scratch())
    shutil.copy(PAPERS / "barbero-linan-vectors.yaml", folder)
    (folder / "end_multipliers.py").write_text(f"print({end_multipliers()!r}, end='')\n")
    head, *blocks = (PAPERS / "barbero-linan.toml").read_text().split("[[statements]]")
    text = "[[statements]]".join(
        [head, *(b for b in blocks if "end_multipliers.py" in b or not new and "vectors.yaml" in b)]
    )
    if old:
        ok(old in text, f"{old} is stated")
    (folder / "paper.toml").write_text(text.replace(old, new, 1))
    return command(folder / "paper.toml", folder / "results", script="statements.py")


def test_statements():
    """As stated; not as stated; a column and a script that are not there."""
    process = stated()
    count = re.search(r"^(\d+) of (\d+) as stated$", process.stdout, re.M)
    ok(
        process.returncode == 0 and count and int(count[1]) == int(count[2]) > 25,
        "what is measured is as stated",
        process.stdout,
        process.stderr,
    )
    for name, wanted in (("ends(yoshida4)", 2), ("substeps(yoshida4)", 4), ("substeps(yoshida6)", 6)):
        found = re.search(rf"ok +{re.escape(name)}: order (\S+) ", process.stdout)
        ok(found and abs(float(found[1]) - wanted) <= 0.1, f"{name} is of order {wanted}", process.stdout)
    wrong = stated('"ends(yoshida4)", column = "order", is = 2', '"ends(yoshida4)", column = "order", is = 4')
    ok(
        wrong.returncode == 1 and wrong.stdout.count("NOT") == 1,
        "ends alone are not of order 4",
        wrong.stdout,
        wrong.stderr,
    )
    column = stated('"ends(yoshida4)", column = "order"', '"ends(yoshida4)", column = "ordre"')
    ok(
        column.returncode == 2 and "no ordre; it has order, two_form" in column.stderr,
        "an unknown column is refused",
        column.stderr,
    )
    nowhere = command(
        PAPERS / "barbero-linan.toml", scratch(), "--only", "nowhere", script="statements.py"
    )
    ok(
        nowhere.returncode == 2 and "no statement of nowhere; there are barbero-linan-ends" in nowhere.stderr,
        "and an unknown study",
        nowhere.stderr,
    )
    absent = stated('script = "end_multipliers.py"', 'script = "absent.py"')
    ok(
        absent.returncode == 2 and "statements.py: error" in absent.stderr and "absent.py" in absent.stderr,
        "so is a script that is not there",
        absent.stderr,
    )


def test_water():
    """Seven waters in a bath to t = 1000: what is stated of them, and what is not so: a peak, a part, a mean,
    a temperature."""
    folder = pathlib.Path(scratch())
    study = (PAPERS / "tao-owhadi-water.yaml").read_text().replace("end: 10000", "end: 1000")
    (folder / "tao-owhadi-water.yaml").write_text(
        "\n".join(line for line in study.splitlines() if "coefficient" not in line)
    )
    head, *blocks = (PAPERS / "tao-owhadi-water.toml").read_text().split("[[statements]]")
    last = next(b for b in blocks if "0.0006" in b)
    last = re.sub(r"^(name|change) = .*\n", "", last, flags=re.M)
    wrong = last
    for old, new in (
        ("2.775", "2.975"),
        ("is = 2.83,", "is = 2.93,"),
        ("0.37", "0.47"),
        ("0.02,", "0.021,"),
        ("0.0006", "0.00001"),
    ):
        wrong = wrong.replace(old, new)
    (folder / "water.toml").write_text("[[statements]]".join([head, last, wrong]))
    process = command(folder / "water.toml", folder / "results", "--ranks", 0, script="statements.py")
    right = re.findall(r"^  (ok |NOT)  langevin", process.stdout, re.M)
    ok(
        right[:10] == ["ok "] * 10,
        "seven waters: distances and temperature as stated",
        process.stdout,
        process.stderr,
    )
    ok(
        process.returncode == 1 and right[10:] == ["NOT"] * 10,
        "and not as stated wrongly",
        process.stdout,
        process.stderr,
    )


def changed(old, new):
    """A copy of the paper and of its studies in which a text is another."""
    folder = pathlib.Path(scratch())
    for file in PAPERS.glob("*.yaml"):
        shutil.copy(file, folder)
    text = (PAPERS / "brugnano.toml").read_text()
    ok(old in text, f"{old} is printed")
    (folder / "brugnano.toml").write_text(text.replace(old, new))
    return folder / "brugnano.toml"


def script(path):
    """A script of jobs as a module."""
    loader = SourceFileLoader(path.stem, str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def refused(function, *arguments):
    """What it says if it ends with status 2."""
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            function(*arguments)
        except SystemExit as end:
            return said.getvalue() if end.code == 2 else ""
    return ""


def headings(run):
    """What a command of coverage.toml judges: its headings, as its file has them."""
    file = re.search(r"(\S+)\.py (?:\$PAPERS/(\S+\.toml))?", run)
    if file[1].endswith("figures"):
        return [f"{name}: {x['title']}" for name, x in tomllib.loads((PAPERS / "figures.toml").read_text()).items()]
    if not file[2]:
        return ["The order of a conversion"]
    paper = tomllib.loads((PAPERS / file[2]).read_text())
    if file[1].endswith("statements"):
        return [f"{s['says']} [{s['where']}]" for s in paper["statements"]]
    kind = "tables" if file[1].endswith("tables") else "ensembles"
    listed = {label: x for label, x in paper[kind].items() if "control" not in x}
    return [f"{label}: {x['title']}" for label, x in listed.items()] + ["Controls, without numbers of the paper"]


def page_rows():
    """The cells of each row of coverage.md."""
    lines = (PAPERS / "coverage.md").read_text().split("## Commands")[0].splitlines()
    rows = [re.split(r"(?<!\\) \| ", line.removeprefix("| ").removesuffix(" |")) for line in lines if line[:2] == "| "]
    return [[c.replace("\\|", "|") for c in row] for row in rows if row[0] != "where"]


def value_of(line, item):
    """(measured value, its error) in a line of the page that belongs to this item; None if it belongs to another."""
    start, end = f"{item['method']}: {statements.name_of(item)} ", f" ({statements.asked(item)})"
    if not line.startswith(start) or not line.endswith(end):
        return None
    value, _, error = line[len(start) : -len(end)].partition(" +- ")
    return value if isinstance(item.get("is"), str) else float(value), float(error or 0)


def moved(item, error):
    """The item with each number that it states ten tolerances away; the tolerance of a bound is a factor."""
    if isinstance(item.get("is"), str):
        return []
    off = 10 * item.get("within", item.get("errors", 0) * error) or 1
    changes = [{"is": item["is"] + sign * off} for sign in (1, -1)] if "is" in item else []
    changes += [{key: item[key] * by} for key, by in (("above", 10), ("below", 0.1)) if key in item]
    return [{**item, **change} for change in changes]


def test_page():
    """coverage.md is that of coverage.toml; its numbers are as stated, and a row whose stated number is moved fails."""
    every, listed = script(PAPERS / "all"), tomllib.loads((PAPERS / "coverage.toml").read_text())
    rows = [cells for p in listed["papers"] for cells in every.rows_of(p, listed["commands"])]
    page = page_rows()
    named = [[*c[:3], f"`{c[3]}`" if len(c) > 4 else ""] for c in rows]
    ok(named == [row[:4] for row in page], "coverage.md has the rows of coverage.toml", *(x for x in named if x not in [r[:4] for r in page]))
    measured = [(c, row[4].split("<br>")) for c, row in zip(rows, page) if "statements.py" in listed["commands"].get(c[3], {"run": ""})["run"]]
    drawn, left = random.Random(1).sample(range(len(measured)), len(measured) // 10), []
    folder = pathlib.Path(scratch())
    for k, (cells, lines) in enumerate(measured):
        file = re.search(r"\$PAPERS/(\S+\.toml)", listed["commands"][cells[3]]["run"])[1]
        found = tomllib.loads((PAPERS / file).read_text())["statements"]
        statement = next(s for s in found if cells[4] in f"{s['says']} [{s['where']}]")
        items = statements.each(statement["measured"])
        pairs = [(i, value_of(line, i)) for line in lines for i in items if value_of(line, i)]
        good = len(pairs) == len(lines) and all(statements.holds(i, *x) for i, x in pairs)
        loose = [m for i, x in pairs for m in moved(i, x[1]) if statements.holds(m, *x)]
        left += [cells[:2]] * (not good) + [[cells[0], cells[1], m] for m in loose]
        for item, x in pairs if k in drawn else []:
            for other in moved(item, x[1]):
                text = "\n".join(statements.line_of(other if i is item else i, *y) for i, y in pairs)
                (folder / f"{cells[3]}.json").write_text(json.dumps([1, f"{statement['says']} [{statement['where']}]\n{text}"]))
                commands = every.Commands(listed["commands"], types.SimpleNamespace(slow=False, keep=True, folder=folder))
                left += [] if every.outcome(commands, cells)[0] == "FAILS" else [[cells, other]]
    said = refused(statements.holds, {"method": "rattle", "column": "order_q"}, 2, 0)
    ok("rattle: order_q has no `is`" in said, "what states nothing is refused", said)
    ok(len(measured) > 90 and not left, "rows of coverage.md are as stated, and not with other numbers", *left)


def test_coverage():
    """Every row of coverage.toml is valid, and fits one heading; the command distinguishes rows that come out from
    those that do not, and refuses what it does not know."""
    every, listed = script(PAPERS / "all"), tomllib.loads((PAPERS / "coverage.toml").read_text())
    rows = [cells for p in listed["papers"] for cells in every.rows_of(p, listed["commands"])]
    ok(len(rows) > 100, "coverage.toml has its rows", len(rows))
    fits = {name: headings(command["run"]) for name, command in listed["commands"].items()}
    lost = [c for c in rows if len(c) > 4 and sum(c[4] in x for x in fits[c[3]]) != 1]
    ok(not lost, "each fits one statement or table", *lost)
    ok({c[3] for c in rows if len(c) > 4} == set(listed["commands"]), "every command has a row")
    block = "This holds [1]\n  ok   rattle: order 2\n  {}  shake: order 1\n\nThat holds [2]\n  ok   rattle: order 2\n"
    right, wrong = block.format("ok "), block.format("NOT")
    both = ["  ok   rattle: order 2", "  ok   shake: order 1"]
    ok(every.shown(right, "This holds") == (both, ""), "all judged lines of a statement are shown", every.shown(right, "This holds"))
    ok(every.shown(wrong, "This holds", "shake") == (["  NOT  shake: order 1"], ""), "or those that are asked for")
    for heading, part, why in (("holds", "", "fits 2"), ("nothing", "", "fits 0"), ("This holds", "midpoint", "no judged line")):
        lines, said = every.shown(right, heading, part)
        ok(not lines and why in said, f"{heading}, {part}: {why}", said)
    ok(not every.shown("table1: a title\n0.1 2.57e-2\n", "table1")[0], "a heading over lines that are not judged is none")
    orders = script(PAPERS.parent / "conversion" / "orders.py")
    told = orders.statement({"kepler": {k: "equal" if k < 620 else "lower" for k in range(624)}})
    lines = every.shown("\n".join(told), "The order of a conversion")[0]
    ok([x[:5] for x in lines] == ["  ok ", "  NOT"], "four lower orders are too many", *told)
    folder = pathlib.Path(path("coverage"))
    folder.mkdir()
    for name, found in fits.items():
        parts = [c[5] if len(c) > 5 else "" for c in rows if len(c) > 4 and c[3] == name]
        text = "\n\n".join(h + "".join(f"\n  ok   {p}" for p in parts) for h in found)
        (folder / f"{name}.json").write_text(json.dumps([1, text]))
    line = [sys.executable, str(PAPERS / "all"), "-o", str(folder), "--keep"]
    told = subprocess.run(line, capture_output=True, text=True)
    ok(told.returncode == 0 and "| all |" in told.stdout, "what all commands printed gives a page", told.stdout, told.stderr)
    (folder / "maps.json").write_text(json.dumps([0, block.format("NOT")]))
    told = subprocess.run([*line, "--only", "maps"], capture_output=True, text=True)
    ok(told.returncode == 1 and "FAILS: " in told.stdout, "a row that does not come out is told", told.stdout)
    told = subprocess.run([*line, "--only", "nowhere"], capture_output=True, text=True)
    ok(told.returncode == 2 and "no paper 'nowhere'; allowed: conversion" in told.stderr, "an unknown paper is refused")


def test_wrong_number():
    """A wrong printed number, a wrong bound, a wrong rate: each is detected."""
    cases = [
        ("6.4260e-03", "6.4290e-03", 1, "e_s"),
        ("2.5700e-02", "2.5800e-02", 1, "e_s"),
        ('energy_max", bound = 1e-15', 'energy_max", bound = 1e-19', None, "e_H"),
    ]
    every = script(PAPERS / "all")
    for old, new, wanted, part in cases:
        process = command(changed(old, new), scratch(), "--rows", 2, "--only", "table1")
        off = counted(process.stdout)[2]
        ok(
            process.returncode == 1 and (off == wanted or wanted is None and off > 0),
            f"{new} in place of {old} disagrees",
            off,
            process.stdout[-800:],
        )
        lines, why = every.shown(process.stdout, "table1:", part)
        ok(lines and any("NOT" in x for x in lines), f"and the page sees it in {part}", why, *lines)


def drawn_lines(listed):
    """(figure, line) of all lines of figures.toml, with what they take from their panels and figures."""
    import figures

    for name, figure in listed.items():
        for panel in figure["panels"]:
            for line in panel["lines"]:
                yield name, figures.filled(line, panel, figure)


def test_figures():
    """Figures of Brugnano, drawn and checked; means and differences of trajectories; every line names a method of its
    study, and every figure of three papers is there."""
    try:
        import figures
    except ImportError as missing:
        skip("figures", missing)
        return
    folder = pathlib.Path(scratch())
    line = [sys.executable, str(PAPERS / "figures.py"), "brugnano-1", "brugnano-2", "-o", str(folder)]
    process = subprocess.run(line, env={**ENVIRONMENT, "CONSTELLA": PROGRAM}, capture_output=True, text=True)
    ok(process.returncode == 0, "figures 1 and 2 hold what they show", process.stderr, process.stdout)
    ok("  ok   error_verdict linear (linear)\n" in process.stdout, "the error grows linearly", process.stdout)
    pictures = [(folder / f"brugnano-{n}.png").read_bytes()[1:4] for n in (1, 2)]
    ok(pictures == [b"PNG", b"PNG"] and len(list(folder.glob("*.h5"))) == 1, "they are drawn, from one run")
    said = refused(figures.targets, ["brugnano-1"], folder, False)
    ok("--overwrite" in said, "pictures are not overwritten silently", said)
    said = refused(figures.chosen, {"brugnano-1": {}}, ["nowhere"])
    ok("no figure 'nowhere'; there are brugnano-1" in said, "an unknown one is refused", said)
    listed, home = tomllib.loads((PAPERS / "figures.toml").read_text()), figures.Studies(PAPERS, types.SimpleNamespace(folder=folder, rows=None, ranks=0))
    wrong = {**listed["brugnano-1"], "verdicts": {"error": "bounded"}, "panels": [{"lines": [{"series": "error", "bound": 1e-6}]}]}
    ok([good for _, good in figures.checks_of(home, wrong)] == [False, False], "a wrong bound and a wrong verdict are noticed")
    raw, mean, shake = (figures.data(home, x) for n, x in drawn_lines(listed) if n == "tao-owhadi-2b" and "upper" in x["y"])
    off = [np.std(y - np.interp(t, *shake)) for t, y in (raw, mean)]
    ok(0.35 < off[0] < 0.5 and off[1] < 0.06, "means over 0.2 are close to SHAKE's multipliers, the springs are not", *off)
    one = {"study": "tao-owhadi-figure2b.yaml", "method": "shake", "y": "lambda_upper"}
    t, difference = figures.data(home, {**one, "apart": {"method": listed["tao-owhadi-2b"]["panels"][0]["lines"][0]["method"]}})
    ok(len(t) == 1001 and abs(difference + raw[1] - shake[1]).max() == 0, "a line apart from another is their difference")
    lost = []
    for name, line in drawn_lines(listed):
        text = (PAPERS / line["study"]).read_text()
        for old, new in line.get("change", {}).items():
            lost += [] if old in text else [(name, old)]
            text = text.replace(old, new)
        lost += [(name, m) for m in line.get("methods", [line.get("method")]) if m not in text]
    ok(not lost, "lines of figures.toml name what is in their studies", *lost)
    numbers = ["1", "2a", "2b", *map(str, range(3, 11))]
    named = {f"brugnano-{n}" for n in (1, 2, 3)} | {f"tao-owhadi-{n}" for n in numbers} | {f"cuell-6.{n}" for n in range(1, 24) if n != 6}
    ok(set(listed) == named, "every figure of three papers is listed", *(set(listed) ^ named))


def small(name, rows, bound="1"):
    write("small.yaml", STUDY)
    return write(f"{name}.toml", SMALL.format(rows=rows, bound=bound))


def small_rows(measured, digit):
    """Rows as a paper would print them; `digit` is added to the last digit of the first error."""
    rows = []
    for rattle, shake in zip(measured["rattle"], measured["shake"]):
        first = f"{rattle['error_p'] * (1 + digit * 1e-4 * (rattle is measured['rattle'][0])):.4e}"
        rate = f"{rattle['rate']:.2f}" if rattle["rate"] == rattle["rate"] else "-"
        rows.append(f"{rattle['step']:g} {first} {rate} {shake['error_p']:.3e} 1e-15")
    return "\n".join(rows)


def test_other_paper():
    """A paper of its own, whose columns differ in the method: numbers as the program's table has them."""
    process, result = run("small-measured", STUDY)
    ok(process.returncode == 0, "a small study runs", process.stderr)
    rows = table(result)
    measured = {method: [r for r in rows if r["method"] == method] for method in ("rattle", "shake")}
    good = command(small("good", small_rows(measured, 0)), path("good"))
    ok(
        good.returncode == 0 and counted(good.stdout) == (6, 6, 0),
        "a paper of two methods side by side agrees to all digits",
        good.stdout,
        good.stderr,
    )
    bad = command(small("bad", small_rows(measured, 10)), path("bad"))
    ok(
        bad.returncode == 1 and counted(bad.stdout)[2] == 1,
        "and not with a wrong third digit",
        bad.stdout[-800:],
    )
    bound = command(small("bound", small_rows(measured, 0), "1e-15"), path("bound"))
    ok(
        bound.returncode == 1 and counted(bound.stdout)[2] == 3,
        "a bound on an observable is noticed",
        bound.stdout[-800:],
    )
    fewer = command(
        small("fewer", small_rows(measured, 0)), path("fewer"), "--rows", 2, "--format", "markdown"
    )
    ok(
        fewer.returncode == 0 and "| 0.05 |" in fewer.stdout and "0.025" not in fewer.stdout,
        "two rows alone, as Markdown",
        fewer.stdout,
    )
    more = command(small("more", small_rows(measured, 0) + "\n0.0125 1e-5 2.00 1e-4 0"), path("more"))
    ok(
        more.returncode == 2 and "has no step 4" in more.stderr,
        "more rows than the study has steps are refused",
        more.stderr,
    )
    short = command(small("short", "0.1 1e-3 -"), path("short"))
    ok(
        short.returncode == 2 and "2 cells for 4 columns" in short.stderr,
        "a row with too few cells is refused",
        short.stderr,
    )
    before = pathlib.Path(path("good"), "small.h5").stat().st_mtime_ns
    again = command(path("good.toml"), path("good"))
    ok(
        again.returncode == 2 and "--overwrite" in again.stderr,
        "results are not overwritten silently",
        again.stderr,
    )
    ok(pathlib.Path(path("good"), "small.h5").stat().st_mtime_ns == before, "nor touched")
    ok(command(path("good.toml"), path("good"), "--overwrite").returncode == 0, "but when it is asked for")
    unknown = command(path("good.toml"), path("good"), "--only", "large")
    absent = command(path("absent.toml"), path("absent"))
    ok(
        absent.returncode == 2 and "No such file" in absent.stderr,
        "so is a file that is not there",
        absent.stderr,
    )
    ok(
        unknown.returncode == 2 and "there are small" in unknown.stderr,
        "an unknown table is refused with the names that there are",
        unknown.stderr,
    )


if __name__ == "__main__":
    test_digits()
    test_shortened()
    together(
        [
            test_paper,
            test_springs,
            test_transitions,
            test_matrices,
            test_statements,
            test_water,
            test_coverage,
            test_page,
            test_wrong_number,
            test_figures,
            test_other_paper,
        ],
        most=2,
    )
    done()
