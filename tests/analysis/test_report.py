#!/usr/bin/python3
"""test_report.py: `constella report` on made-up result files of every kind, finished or not, and on mistakes
of the user. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
import base64
import contextlib
import html.parser
import io
import re
import subprocess
import sys

# first: it skips the test where modules are missing
from drawing import ANALYSIS, called, folder, make, ok, program, run_tests

import h5py
import numpy as np

import synthetic
from constella import plot, sheet, style, words
from constella.result import Result, longest_run


class Page(html.parser.HTMLParser):
    """The contents of a page: balanced tags, images, external links, cells, text."""

    @property
    def matrices(self):
        """{name: (heads, {row: cells})} of the tables methods x sets."""
        found = {}
        for table in re.findall(r'<table class="matrix"[^>]*>(.*?)</table>', self.source, re.S):
            rows = [
                re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)
            ]
            found[rows[0][0]] = (rows[0][1:], {r[0]: r[1:] for r in rows[1:]})
        return found

    VOID = {"meta", "img", "br", "link"}

    def __init__(self, text):
        super().__init__()
        self.source = text
        self.open, self.balanced, self.images, self.outside, self.rows, self.words, self.ids = (
            [],
            True,
            [],
            [],
            0,
            [],
            [],
        )
        self.feed(text)
        self.balanced = self.balanced and not self.open
        self.text = " ".join(self.words)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        self.rows += tag == "tr" and "table" in self.open
        self.ids += [attrs["id"]] if "id" in attrs else []
        link = attrs.get("src", attrs.get("href", ""))
        if tag == "img" and link.startswith("data:"):
            self.images.append(base64.b64decode(link.split(",", 1)[1]))
        elif link and not link.startswith("#"):
            self.outside.append(link)

    def handle_endtag(self, tag):
        self.balanced = self.balanced and bool(self.open) and self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def script(*words, flags=()):
    """Run the script of the command as a process of its own."""
    return subprocess.run(
        [sys.executable, *flags, str(ANALYSIS / "command.py"), "report", *words],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
    )


@contextlib.contextmanager
def unseen():
    """Make figures without layout and writing, which take most of the time of a page."""
    finish, encode = sheet.Sheet.finish, style.encode
    sheet.Sheet.finish, style.encode = lambda self: self.fig, lambda fig, form, look="screen": b"<svg></svg>"
    try:
        yield
    finally:
        sheet.Sheet.finish, style.encode = finish, encode


def page_of(path, name, seen=False):
    """Make the page within this process, check the properties of every page, and return it. seen: with
    complete figures."""
    out = path.with_suffix(".html")
    with contextlib.nullcontext() if seen else unseen():
        code, said = called("report", file=path, output=out)
    ok(code == 0 and not said, f"{name}: exit 0, nothing on stderr", said)
    text = out.read_text(encoding="utf-8") if out.exists() else ""
    page = Page(text)
    ok(page.balanced and "<title>" in text, f"{name}: well-formed", page.open)
    ok(not page.outside and "url(" not in text, f"{name}: asks for nothing from outside", page.outside)
    ok(all(b"</svg>" in i for i in page.images), f"{name}: figures are whole")
    return page


def figures_of(page):
    return [i.removeprefix("figure-") for i in page.ids if i.startswith("figure-")]


# ---- the three kinds


def test_order():
    page = page_of(make("order", "order"), "order", seen=True)
    ok(
        figures_of(page) == ["order", "work", "work-energy", "constraint"],
        "order: its figures",
        figures_of(page),
    )
    ok(
        "compose(rattle, yoshida4): order 4.00 (3.98 to 4.03), in q, p and λ." in page.text,
        "order: orders in words",
        page.text[:1500],
    )
    ok("flag_q" in page.text and "2.004" in page.text, "order: the table has the default columns")
    ok(
        "ab" * 32 in page.text and "2024-05-01T10:05:00Z" in page.text and "0123abc" in page.text,
        "order: provenance",
    )
    ok("convert(rk4)" in page.text and "end: 100.0" in page.text, "order: the study's text")
    ok("constella run <x>.yaml" in page.text, "order: text is escaped, not lost")
    ok("pid" not in page.ids and "failures" not in page.ids, "order: no failures, no section on them")


def test_conservation():
    page = page_of(make("conservation", "conservation"), "conservation")
    ok(
        figures_of(page) == ["drift", "constraint", "work-energy"],
        "conservation: its figures",
        figures_of(page),
    )
    heads, cells = page.matrices["energy"]
    ok(
        heads == [f"h = {h:.4g}" for h in (0.1, 0.05, 0.025, 0.0125, 0.00625)],
        "conservation: a matrix of verdicts, steps across",
        heads,
    )
    ok(
        cells["rattle"] == ["bounded"] * 5 and cells["convert(rk4)"] == ["linear"] * 5,
        "conservation: methods down",
        cells,
    )
    ok(
        page.matrices["rotation-z"][1]["convert(rk4)"] == ["frozen"] * 5,
        "conservation: frozen is said",
        page.matrices,
    )
    ok(
        "bounded: bounded error, no drift; random-walk: grows like" in page.text,
        "conservation: what the words mean",
        page.text[:1500],
    )
    ok(len(page.matrices) == 2, "conservation: a matrix a quantity")
    ok("Scaled constraints |g| over the whole run" in page.text, "conservation: constraints in words")


def test_ensemble():
    path = make(
        "ensemble", "ensemble", members=60, steps=(0.1, 0.05), failed=((0, 3, 1), (0, 9, 2), (0, 11, 1))
    )
    page = page_of(path, "ensemble")
    ok(
        figures_of(page) == ["ensemble", "ensemble-drift", "drift", "constraint"],
        "ensemble: its figures",
        figures_of(page),
    )
    ok("energy at the end, median (5 to 95 % of the members)" in page.text, "ensemble: spread in words")
    ok("3 of them failed" in page.text, "ensemble: failures are counted")
    ok(
        "the solver did not converge" in page.text and "3, 11" in page.text and "not finite" in page.text,
        "ensemble: reasons and members",
        page.text[-3000:],
    )
    ok("60 members" in page.text, "ensemble: members in the head")


def test_another_kind():
    """An unknown kind of study: the file describes its columns and lists its figures."""
    path = make("another", "order", figures="axes,work")
    with h5py.File(path, "a") as f:
        f.attrs["study_kind"] = "poem"
        f["statistics/evaluations_per_step"].attrs["axis"] = "x linear"
    page = page_of(path, "another kind")
    ok(
        figures_of(page) == ["axes", "work"] and "poem study of double-pendulum" in page.text,
        "another kind: the figures that it asks for",
        figures_of(page),
    )
    with Result(path) as r:
        ok(
            r.on_axis("x") == [("step", "log"), ("evaluations_per_step", "linear")],
            "another kind: its x axes",
            r.on_axis("x"),
        )
        axes = plot.axes(r).axes
        ok(
            len(axes) == 8 and [a.get_xscale() for a in axes[:2]] == ["log", "linear"],
            "another kind: a panel for each pair of axes",
            len(axes),
        )
        ok(
            all(a.get_yscale() == "log" and len(a.lines) == len(r.curves()) for a in axes),
            "another kind: a line for each curve in each",
        )


# ---- what goes wrong in studies


def test_failed_alone():
    page = page_of(make("failed", "order", failed=((7, 0, 2), (8, 0, 2))), "failed cases")
    ok("order" in figures_of(page), "failed cases: the others are drawn")
    ok("–" in page.text and "not finite" in page.text, "failed cases: a dash in the table, the reason")
    every = tuple((0, m, 1) for m in range(4))
    page = page_of(
        make(
            "all-failed", "ensemble", members=4, steps=(0.1,), methods=("rattle",), slopes=(2,), failed=every
        ),
        "all failed",
    )
    ok("4 of them failed" in page.text, "all failed: said")


def test_no_constraints():
    page = page_of(make("free", "conservation", constraints=0, steps=(0.1, 0.05)), "no constraints")
    ok(figures_of(page) == ["drift", "work-energy"], "no constraints: no figure of them", figures_of(page))
    ok("Scaled constraints" not in page.text, "no constraints: no sentence on them")


def test_one():
    page = page_of(
        make("one", "order", methods=("rattle",), slopes=(2,), steps=(0.1,)), "one method, one step"
    )
    ok(
        "fewer than three usable steps" in page.text and "1 method ·" in page.text,
        "one method, one step: too few",
        page.text[:1200],
    )
    ok("work-energy" not in figures_of(page), "one method, one step: no work-energy figure")
    page = page_of(make("quiet", "conservation", samples=1, observables=("energy",)), "no samples")
    ok("drift" not in figures_of(page), "no samples: no drift figure")


def test_unfinished():
    path = make("unfinished", "order", state="interrupted", undone=8)
    page = page_of(path, "interrupted")
    ok(
        "17 of 25 trajectories are done" in page.text and "interrupted" in page.text,
        "interrupted: says how far it came",
        page.text[:900],
    )
    ok("order" in figures_of(page), "interrupted: what is there is drawn")
    coarse = make(
        "coarse-missing",
        "conservation",
        state="interrupted",
        undone=1,
        steps=(0.1, 0.05),
        methods=("rattle",),
        slopes=(2,),
    )
    ok("drift" in figures_of(page_of(coarse, "a step missing")), "a step missing: its panel stays empty")
    page = page_of(make("started", "conservation", state="running", undone=25), "just started")
    ok(
        "nothing to draw yet" in page.text and "0 of 25" in page.text,
        "just started: no figures, no trajectories",
    )


def test_hostile():
    title = "<script>alert(1)</script> $x_1 & \\frac"
    page = page_of(
        make(
            "hostile",
            "ensemble",
            members=5,
            steps=(0.1,),
            title=title,
            methods=("a<b>", "user($1, x_2)", "c$d"),
            slopes=(1, 2, 3),
        ),
        "hostile text",
        seen=True,
    )
    ok(
        "script" not in page.open and title in page.text and "a<b>" in page.text,
        "hostile text: shown as written",
    )


def test_sweep():
    path = make("sweep", "order", methods=("rattle", "euler-a"), slopes=(2, 1), lengths=(1.0, 1.5))
    page = page_of(path, "sweep")
    ok("rattle, L = 1.5: order" in page.text, "sweep: parameters set curves apart", page.text[:900])
    with Result(path) as r:
        shown = style.variant_handles(r.curves())
        ok(
            len(shown) == 2 and shown[0].get_linestyle() != shown[1].get_linestyle(),
            "sweep: variants differ in their dashes",
        )
        ok(
            len(r.curves()) == 4 and {c.variant for c in r.curves()} == {"L = 1", "L = 1.5"},
            "sweep: four curves, two variants",
        )
    page = page_of(
        make(
            "long-sweep",
            "conservation",
            methods=("rattle",),
            slopes=(2,),
            steps=(0.1,),
            lengths=tuple(range(1, 10)),
        ),
        "long sweep",
    )
    with Result(folder / "long-sweep.h5") as r:
        ok(len(style.variant_handles(r.curves())) == 1, "long sweep: one legend entry for all variants")


def test_many():
    steps = tuple(0.1 / 2**k for k in range(7))
    path = make(
        "many", "order", methods=tuple(synthetic.MANY), slopes=tuple(synthetic.MANY_SLOPES), steps=steps
    )
    page = page_of(path, "fifteen methods, seven steps")
    ok(page.rows >= 106, "fifteen methods, seven steps: every case in the table", page.rows)
    cells = page.matrices["order of"][1]["compose(rattle, kahan-li8)"]
    ok(
        cells == ["plateau (8.00)"] * 3,
        "fifteen methods, seven steps: a matrix of orders, in which a plateau is no order",
        cells,
    )


# ---- the reader


def test_reader():
    with Result(make("reader", "order", steps=(0.1, 0.05, 0.025), state="complete")) as r:
        c = r.curves()[1]
        ok(
            c.method == "compose(rattle, yoshida4)" and list(c.cases) == [3, 4, 5] and c.method_index == 1,
            "reader: a curve is a method's cases, coarse to fine",
        )
        ok(
            r.attribute("/run", "state") == "complete" and r.attribute("/run", "ranks") == "4",
            "reader: padded text, whole numbers",
        )
        ok(list(r.fitted(c, "q")) == [True] * 3, "reader: the fitted window")
        ok(
            np.isnan(r.numbers("nothing")).all() and set(r.texts("nothing")) == {""},
            "reader: absent columns are empty",
        )
        ok(
            r.names("/observables")[:2] == ["energy", "rotation-z"]
            and r.drifting == ["energy", "rotation-z"],
            "reader: quantities in their order",
        )
        t, x = r.time_series("energy", 1)
        ok(len(t) == len(x) == 78 and (t > 0).all(), "reader: series without padding and start")
        ok(
            r.chosen_steps() == [0.1, 0.05, 0.025] and r.at_step(c, 0.05) == 4 and r.at_step(c, 7.0) is None,
            "reader: cases by step",
        )
        ok(words.interval(r, 0, "q") == "2.00 (1.98 to 2.03)", "words: an interval")
    ok(
        longest_run([False, True, True, False, True]) == (1, 2) and longest_run([]) == (0, 0),
        "reader: longest run",
    )
    ok(longest_run([True, False, True]) == (2, 1), "reader: of equal runs the finer one")


def test_plateau_is_faint():
    steps = tuple(0.1 / 2**k for k in range(9))
    with Result(
        make("plateau", "order", methods=("compose(rattle, kahan-li6)",), slopes=(6,), steps=steps)
    ) as r:
        inside = r.fitted(r.curves()[0], "q")
        ok(inside.any() and not inside[-1] and inside[0], "window: round-off is outside", inside)


# ---- the command


def test_same_bytes():
    path = make(
        "bytes",
        "ensemble",
        members=5,
        figures="ensemble",
        samples=20,
        methods=("rattle",),
        slopes=(2,),
        steps=(0.1,),
    )
    pages = []
    for name in ("a.html", "b.html"):
        program("report", path, "-o", name)
        pages.append((folder / name).read_bytes())
    ok(pages[0] == pages[1], "the same page twice, byte for byte")


def test_figures():
    path = make("figures", "conservation", methods=("rattle",), slopes=(2,), steps=(0.1, 0.05))
    run = program("report", path, "--figures", folder / "new" / "figures", "--formats", "png,pdf,svg")
    found = sorted(p.name for p in (folder / "new" / "figures").iterdir())
    wanted = sorted(f"{n}.{e}" for n in ("drift", "constraint", "work-energy") for e in ("png", "pdf", "svg"))
    ok(
        run.returncode == 0 and found == wanted,
        "--figures: each figure in the forms that are asked for",
        found,
    )
    ok(not (folder / "figures.html").exists(), "--figures alone: no page")
    pdf, png = ((folder / f"new/figures/drift.{form}").read_bytes() for form in ("pdf", "png"))
    ok(pdf[:4] == b"%PDF" and png[1:4] == b"PNG", "--figures: PDF and PNG are what they say")
    run = program("report", path)
    ok(
        run.returncode == 0 and (folder / "figures.html").exists(),
        "without -o: FILE.html in the current folder",
        run.stderr,
    )


def test_mistakes():
    good = make("good", "order")
    (folder / "text.h5").write_text("study: order\n")
    h5py.File(folder / "other.h5", "w").close()
    make("figure", "order", figures="order,poem")
    with h5py.File(make("old", "order"), "a") as f:
        del f["statistics"].attrs["figures"]
    (folder / "good.html").write_bytes(good.read_bytes())
    cut = folder / "cut.h5"
    cut.write_bytes(good.read_bytes()[:300])
    for given, code, pattern, name in (
        ({"file": "nowhere.h5"}, 2, r"^nowhere.h5: error: No such file", "a missing file"),
        ({"file": "text.h5"}, 2, r"^text.h5: error: is not a Constella result", "no HDF5 file"),
        ({"file": "cut.h5"}, 2, r"^cut.h5: error: is not a Constella result", "half a file"),
        (
            {"file": "other.h5"},
            2,
            r"^other.h5: error: is not a Constella result: HDF5, but",
            "another HDF5 file",
        ),
        (
            {"file": "figure.h5"},
            2,
            r'^figure.h5: error: asks for the figure "poem"; known are autocorrelation, averages, axes',
            "an unknown figure",
        ),
        (
            {"file": "old.h5"},
            2,
            r"^old.h5: error: was written by a release whose files do not say what their columns are",
            "a file without roles",
        ),
        ({"file": "."}, 2, r"^.: error: Is a directory", "a folder"),
        (
            {"file": "good.h5", "output": "good.h5"},
            2,
            r"is the result file itself",
            "the page over the result",
        ),
        (
            {"file": "good.h5", "output": "cut.h5"},
            2,
            r"cut.h5: the page is written as .html or .htm",
            "the page over another file",
        ),
        (
            {"file": "good.html", "output": "good.html"},
            2,
            r"is the result file itself",
            "the page over a result of its name",
        ),
        (
            {"file": "good.h5", "output": "nowhere/x.html"},
            1,
            r"^nowhere/x.html: error: cannot write",
            "no folder to write to",
        ),
    ):
        got, said = called("report", **given)
        ok(
            got == code and re.search(pattern, said, re.M),
            f"{name}: exit {code} and a message",
            f"{got} {said}",
        )
    run = script("file=nowhere.h5", "formats=png")
    ok(
        run.returncode == 2 and run.stderr == "nowhere.h5: error: No such file or directory\n",
        "a process ends with that, and without a traceback",
        f"{run.returncode} {run.stderr}",
    )
    run = script("file=good.h5", flags=("-S",))
    told = "needs the Python module" in run.stderr and "python3-h5py" in run.stderr
    ok(run.returncode == 2 and told, "a missing Python module: exit 2, named, with its package", run.stderr)


def test_program():
    make("plain", "order")
    run = program("report", "plain.h5", "-o", "plain.html", "--figures", "plain", "--formats=svg")
    ok(
        run.returncode == 0
        and (folder / "plain.html").exists()
        and (folder / "plain" / "order.svg").exists(),
        "report: a process of its own",
        run.stderr,
    )
    run = program("report", "plain.h5", "-o", "plain.htm", MPLBACKEND="nonsense")
    ok(run.returncode == 0 and (folder / "plain.htm").exists(), "any MPLBACKEND", run.stderr)
    for words in (("report", "old.h5"), ("plot", "old.h5", "order"), ("export", "old.h5", "-o", "no.csv")):
        run = program(*words, PYTHON="/bin/true")
        ok(
            run.returncode == 1 and "has not been written; is PYTHON a python3?" in run.stderr,
            f"{words[0]}: a PYTHON that does nothing",
            run.stderr,
        )
    run = program("plot", "good.h5", "order", "--width", "1e9")
    ok(
        run.returncode == 2 and "--width takes a number above 0 and at most 100" in run.stderr,
        "plot: a width beyond all memory",
        run.stderr,
    )
    for arguments, said in (
        (("plain.h5", "--wrong"), "unknown option '--wrong'"),
        ((), "`constella report` needs a result"),
    ):
        run = program("report", *arguments)
        ok(
            run.returncode == 2 and said in run.stderr,
            f"report {' '.join(arguments)}: exit 2 and a message",
            run.stderr,
        )
    ok(program("report", "--help").returncode == 0, "--help: exit 0")


def test_colours():
    seen = {(style.COLOURS[i % len(style.COLOURS)], style.MARKERS[i % len(style.MARKERS)]) for i in range(56)}
    ok(len(seen) == 56, "colours and markers: 56 methods can be told apart")
    ok(
        {n for names in synthetic.FIGURES.values() for n in names.split(",")} <= set(plot.KINDS),
        "figures for every kind of study",
    )


run_tests(globals())
