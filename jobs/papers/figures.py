#!/usr/bin/python3
"""figures.py: draws figures of the papers from what the program measures.

    figures.py NAME ... [-o FOLDER] [--overwrite]        figures.py --list

NAME is PAPER-NUMBER, as tao-owhadi-1, or PAPER for all of its figures. Studies run into FOLDER (default: figures), each
once; NAME.png goes there too. Figures that state numbers are judged. Exit: 0; 1 when a number is not as stated; 2 for
mistakes of the user. The program is that of the variable CONSTELLA (build/constella).

figures.toml has the figures by name:

    title, and `columns` of panels (default: 1)
    panels    a list: `label` and `across`, the names of the axes (default: nothing, time), `scale` (linear or log),
              and `lines`, a list. What a line has none of is taken from its panel, then from its figure:
                 study, change, as    a study, in which texts are changed, under another name
                 make                 a command of constella that writes the study's system into FOLDER before
                 method, step         as in the study; the smallest step where none is given
                 name                 in the legend; default: what is drawn
                 points               true: no line
              and what is drawn is one of
                 series       of the result, against time; it stays below its `bound`
                 y, x         expressions of a stored trajectory, y against x (default: t), from the time `from` to
                              `until`; y is its mean over the time `mean` around each time, if that is given
                 apart        another line: the difference of y from its trajectory, without y the largest one of
                              the coordinates
                 histogram    its density
                 column       of the table, against `at`, a list of numbers, one for each of `methods`; times the square of
                              these with `squared`
    verdicts  of observables of the figure's study.
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import pathlib
import subprocess
import sys
import tomllib

sys.dont_write_bytecode = True

import matplotlib  # noqa: E402
import numpy as np  # noqa: E402

from studies import CONSTELLA, Studies, case_of, mistake  # noqa: E402  isort: skip
from constella import edges, style  # noqa: E402
from constella.sheet import Sheet  # noqa: E402

HOME = pathlib.Path(__file__).resolve().parent
INHERITED = ("study", "change", "as", "make", "method", "step", "from", "until", "x")


def filled(line, *above):
    """A line with what it takes from its panel and its figure."""
    return {k: x[k] for x in reversed(above) for k in INHERITED if k in x} | line


# ---- what is drawn


def made(studies, line):
    """A line whose study takes its system from FOLDER, where the command has written it."""
    done = subprocess.run([CONSTELLA, *line["make"]], cwd=studies.folder, capture_output=True, text=True)
    if done.returncode and "exists" not in done.stderr:
        mistake(done.stderr.strip())
    name = line["make"][-1]
    return line | {"change": {f"file: {name}": f"file: {(studies.folder / name).resolve()}"}}


def result_of(studies, line):
    line = made(studies, line) if "make" in line else line
    return studies.result(line, line.get("as", pathlib.Path(line["study"]).stem))


def trajectory(studies, line):
    result = result_of(studies, line)
    walk = result.trajectory(case_of(result, line["method"], line.get("step")))
    return walk.between(line.get("from", walk.t[0]), line.get("until", walk.t[-1]))


def moving_mean(t, y, width):
    """The mean of y over `width` around each time from which it reaches both ways; the times are equidistant."""
    count = round(width / (t[1] - t[0])) + 1
    return t[count // 2 : len(t) - (count - 1) // 2], np.convolve(y, np.ones(count) / count, "valid")


def apart(studies, line):
    one, other = trajectory(studies, line), trajectory(studies, filled(line["apart"], line))
    pairs = [np.flatnonzero(abs(other.t - t) < 1e-9 * (1 + abs(t))) for t in one.t]
    if not all(len(p) for p in pairs):
        mistake(f"{line['method']} is stored at times at which {line['apart']['method']} is not")
    rows = [p[0] for p in pairs]
    if "y" in line:
        return one.t, one[line["y"]] - other[line["y"]][rows]
    return one.t, abs(one.arrays["q"] - other.arrays["q"][rows]).max(axis=-1)


def column(studies, line):
    result, at = result_of(studies, line), np.array(line["at"])
    values = np.array([result.numbers(line["column"])[case_of(result, m)] for m in line["methods"]])
    return at, values * at**2 if line.get("squared") else values


def data(studies, line):
    """(x, y) of a line."""
    if "series" in line:
        result = result_of(studies, line)
        return result.time_series(line["series"], case_of(result, line["method"], line.get("step")))
    if "apart" in line:
        return apart(studies, line)
    if "histogram" in line:
        result = result_of(studies, line)
        edge, density, _ = result.histogram(line["histogram"], case_of(result, line["method"]))
        return (edge[1:] + edge[:-1]) / 2, density
    if "column" in line:
        return column(studies, line)
    walk = trajectory(studies, line)
    x, y = walk[line.get("x", "t")], walk[line["y"]]
    return moving_mean(x, y, line["mean"]) if "mean" in line else (x, y)


def name_of(line):
    """What the legend calls it."""
    drawn = line.get("series") or line.get("y") or line.get("method") or line["column"]
    return line.get("name", drawn)


# ---- the picture


def draw_line(ax, number, line, x, y, log):
    look = {
        "color": style.COLOURS[number % len(style.COLOURS)],
        "linestyle": "none" if line.get("points") else style.DASHES[number % len(style.DASHES)],
        "marker": "." if line.get("points") or "column" in line else None,
        "linewidth": 1.0,
        "label": style.plain(name_of(line)),
    }
    return ax.plot(x, np.maximum(style.raised(y), style.FLOOR) if log else y, **look)[0]


def draw_panel(ax, studies, panel, lines):
    """Draws the lines; their handles."""
    log, drawn = panel.get("scale") == "log", [data(studies, line) for line in lines]
    handles = [draw_line(ax, k, line, *xy, log) for k, (line, xy) in enumerate(zip(lines, drawn))]
    if log:
        ax.set_yscale("log")
        style.log_axis(ax.yaxis)
        edges.note_floor(ax, [y for _, y in drawn])
    else:
        ax.ticklabel_format(axis="y", style="sci", scilimits=(-3, 3), useMathText=True)
    ax.set_ylabel(panel.get("label", ""))
    return handles


def draw(studies, figure):
    panels = figure["panels"]
    columns = figure.get("columns", 1)
    rows = -(-len(panels) // columns)
    sheet = Sheet()
    axes = sheet.grid(rows, columns, width=7.0 / columns, height=3.4 if rows == 1 else 2.0).ravel()
    for k, (ax, panel) in enumerate(zip(axes, panels)):
        lines = [filled(line, panel, figure) for line in panel["lines"]]
        handles = draw_panel(ax, studies, panel, lines)
        if len(handles) > 1 and k % columns == 0:
            sheet.legend(handles, (k // columns, k // columns))
        ax.set_xlabel(panel.get("across", "time"))
    sheet.hide(axes[len(panels) :])
    sheet.title(figure["title"])
    return sheet.finish()


def write(studies, figure, path):
    """Draws the panels and writes a PNG; the same bytes for the same results."""
    with matplotlib.rc_context(style.LOOKS["screen"]):
        path.write_bytes(style.encode(draw(studies, figure), "png"))


# ---- what it states


def checks_of(studies, figure):
    """(what, passed) for the bounds and the verdicts of a figure."""
    for panel in figure["panels"]:
        for line in (filled(x, panel, figure) for x in panel["lines"] if "bound" in x):
            largest = data(studies, line)[1].max()
            yield f"{name_of(line)} {largest:.2g} (at most {line['bound']:g})", largest <= line["bound"]
    for name, wanted in figure.get("verdicts", {}).items():
        found = result_of(studies, figure).texts(f"{name}_verdict")[0]
        yield f"{name}_verdict {found} ({wanted})", found == wanted


def chosen(figures, names):
    """The figures of these names, or of these papers."""
    found = {k: x for k, x in figures.items() if any(k == n or k.rpartition("-")[0] == n for n in names)}
    for name in names:
        if not any(k == name or k.rpartition("-")[0] == name for k in figures):
            mistake(f"no figure '{name}'; there are {', '.join(figures)}")
    return found


def targets(figures, folder, overwrite):
    """The file of each figure; refuses to replace one."""
    paths = {name: folder / f"{name}.png" for name in figures}
    for path in paths.values():
        if path.exists() and not overwrite:
            mistake(f"{path} exists; --overwrite replaces it and its results")
    return paths


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip(), description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("-o", dest="folder", type=pathlib.Path, default=pathlib.Path("figures"))
    parser.add_argument("--overwrite", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    options.rows, options.ranks = None, 0
    figures = tomllib.loads((HOME / "figures.toml").read_text())
    if options.list or not options.names:
        print(*(f"{name}: {x['title']}" for name, x in figures.items()), sep="\n")
        return 0
    figures = chosen(figures, options.names)
    paths = targets(figures, options.folder, options.overwrite)
    options.folder.mkdir(parents=True, exist_ok=True)
    studies, good = Studies(HOME, options), True
    for name, figure in figures.items():
        write(studies, figure, paths[name])
        print(f"\n{name}: {figure['title']}: {paths[name]}")
        for what, passed in checks_of(studies, figure):
            print(f"  {'ok ' if passed else 'NOT'}  {what}")
            good = good and passed
    return not good


if __name__ == "__main__":
    sys.exit(main())
