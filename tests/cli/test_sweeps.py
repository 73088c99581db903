"""test_sweeps.py: sweeps over arguments of methods and over grids of starts: the cases are those of the methods
and starts written one by one, bit for bit; their columns; what is refused, with its column."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, done, h5py, ok, run, table, write

HEAD = """study: order
system: {{name: planar-pendulum, parameters: {{g: {g}}}}}
end: 1
steps: [0.02, 0.01]
reference: self
samples: {{count: 0}}
initial: {initial}
methods: {methods}
"""
SWEPT = '["penalty(rattle, omega={20, 40})", "gauss({ 1,2 })", "penalty(newmark(beta={0.25, 0.3}), omega={20, 40})", rattle]'
ALONE = [
    *(f"penalty(rattle, omega={w})" for w in (20, 40)),
    *(f"gauss({s})" for s in (1, 2)),
    *(f"penalty(newmark(beta={b}), omega={w})" for b in (0.25, 0.3) for w in (20, 40)),
    "rattle",
]


def study(methods, initial="default", g="1"):
    return HEAD.format(methods=methods, initial=initial, g=g)


def final(name, *args, **more):
    process, result = run(name, study(*args, **more))
    ok(process.returncode == 0, f"{name} runs", process.stderr)
    with h5py.File(result, "r") as f:
        return f["final/q"][()].tobytes() + f["final/p"][()].tobytes(), table(result)


def told(row, *names):
    """Cells of a row as a table prints them."""
    return tuple("" if row[n] != row[n] else row[n] if isinstance(row[n], str) else f"{row[n]:g}" for n in names)


def arguments():
    bits, rows = final("swept", SWEPT)
    alone, _ = final("alone", "[" + ", ".join(f'"{m}"' for m in ALONE) + "]")
    ok(bits == alone, "the cases of a sweep are those of its methods, bit for bit")
    rows = rows[::2]
    ok([r["method"] for r in rows] == ALONE, "in their order, the last braces fastest", [r["method"] for r in rows])
    ok(
        [told(r, "omega", "s", "beta") for r in rows]
        == [("20", "", ""), ("40", "", ""), ("", "1", ""), ("", "2", "")]
        + [(w, "", b) for b in ("0.25", "0.3") for w in ("20", "40")]
        + [("", "", "")],
        "arguments have columns, empty where a method has not the argument",
        rows,
    )
    families = ["penalty(rattle, omega)", "gauss(s)", "penalty(newmark(beta), omega)", "rattle"]
    ok(list(dict.fromkeys(r["family"] for r in rows)) == families, "families name the arguments", rows)
    _, rows = final("words", '["compose({rattle, midpoint}, {yoshida4, suzuki4})", "dopri5(tolerance={1e-5, 1e-6})"]')
    ok(
        [r["method"] for r in rows[:8:2]] == [f"compose({m}, {s})" for m in ("rattle", "midpoint") for s in ("yoshida4", "suzuki4")],
        "arguments without a name are swept too",
        rows,
    )
    ok([told(r, "argument_tolerance") for r in rows[8::2]] == [("1e-05",), ("1e-06",)], "a name that is taken gets a prefix", rows)
    _, rows = final("forms", '["penalty(zhang-skeel(beta=0.4, form={full, simplified}), omega=20)"]')
    ok([r["form"] for r in rows[::2]] == ["full", "simplified"], "words are values of a column of texts", rows)


def starts():
    grid = "{sweep: {x: [0.1, 0.2], \"x'\": {from: 0.5, to: 1, count: 2}}, project: true}"
    bits, rows = final("grid", "[rattle]", initial=grid, g="[1, 2]")
    one = b""
    with_list = ", ".join(f"{{q: [{x}, -1], v: [{v}, 0], project: true}}" for x in (0.1, 0.2) for v in (0.5, 1))
    one, _ = final("list", "[rattle]", initial=f"[{with_list}]", g="[1, 2]")
    ok(bits == one, "a grid of starts is the list of its starts, bit for bit")
    ok(
        [told(r, "start_x", "start_x'", "g") for r in rows[::2]]
        == [(x, v, g) for x in ("0.1", "0.2") for v in ("0.5", "1") for g in ("1", "2")],
        "its coordinates have columns",
        rows,
    )
    ok(rows[0]["start"] == "x = 0.1, x' = 0.5", "and its starts names", rows[0])


MISTAKES = [
    ('["penalty(rattle, omega={20, 20.0})"]', 39, "the value 20.0 appears twice"),
    ('["penalty(rattle, omega={20, x})"]', 39, "omega of penalty is a number above 0"),
    ('["penalty(rattle, omga={20, 40})"]', 34, "penalty takes no 'omga='"),
    ('["penalty(rattle, omega={20, 40)"]', 42, "expected ',' or '}'"),
    ('["penalty(rattle, omega={})"]', 35, "expected a value"),
    ('["penalty(rattle, omega={20, {1, 2}})"]', 39, "a swept argument within another one"),
    ('["compose(gauss({1, 2}), gauss({1, 2}))"]', 41, "'s' is swept twice in one method"),
    ('["gauss({1, 2})", gauss(2)]', 28, "the method 'gauss(2)' appears twice"),
]
STARTS = [
    ("{sweep: {z: 1}}", 19, "'sweep' names coordinates, x, and velocities, x'; 'z' is neither"),
    ("{sweep: {x: [1, 1]}}", 26, "appears twice"),
    ("{sweep: {x: 1}, members: 2}", 26, "unknown key 'members'; allowed: around, project, sweep"),
    ("{sweep: [1]}", 18, "'sweep' must be a map of coordinates"),
    ("{sweep: {x: [0.5, 1]}}", 18, "the start is inconsistent"),
]


def mistakes():
    for i, (methods, column, said) in enumerate(MISTAKES):
        refused(f"wrong{i}", study(methods), 8, column, said)
    for i, (initial, column, said) in enumerate(STARTS):
        refused(f"start{i}", study("[rattle]", initial=initial), 7, column, said)


def refused(name, text, line, column, said):
    process = constella("check", write(f"{name}.yaml", text))
    place = f":{line}:{column}: error: " 
    ok(process.returncode == 2 and place in process.stderr and said in process.stderr, f"refused: {said}", process.stderr)


if __name__ == "__main__":
    arguments()
    starts()
    mistakes()
    done()
