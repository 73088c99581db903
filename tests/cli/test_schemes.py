"""test_schemes.py: composition schemes of the study: those of the program written again give the same bits,
published ones have their orders, by the conditions and as measured, and mistakes are told at their column."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, done, h5py, ok, run, table, write

HEAD = """study: order
system: planar-pendulum
end: 3.2
steps: {steps}
reference: exact
samples: {{count: 0}}
schemes: {schemes}
methods: {methods}
"""
TRIPLE = '{mine: ["1/(2-2^(1/3))", "1-2/(2-2^(1/3))", "1/(2-2^(1/3))"]}'
JOB = os.path.join(os.path.dirname(__file__), "../../jobs/own-scheme.yaml")


def study(schemes, methods='["compose(rattle, mine)"]', steps="[0.4, 0.2, 0.1, 0.05]"):
    return HEAD.format(schemes=schemes, methods=methods, steps=steps)


def equal():
    gammas = re.search(r"^gammas +(.*)$", constella("show", "kahan-li6").stdout, re.M)[1]
    process, result = run("equal", study(f"{{mine: [{gammas}]}}", '["compose(rattle, mine)", "compose(rattle, kahan-li6)"]'))
    ok(process.returncode == 0, "a scheme with the digits of kahan-li6 runs", process.stderr)
    with h5py.File(result, "r") as f:
        q = f["final/q"][()]
    ok((q[:4] == q[4:]).all(), "and gives its bits", q)


def orders():
    process, result = run("triple", study(TRIPLE))
    row = table(result)[-1]
    ok(process.returncode == 0 and abs(row["order_q"] - 4) < 0.05 and row["claimed_q"] == 4, "a triple jump has order 4", row)
    told = constella("check", JOB).stdout
    found = re.findall(r"^scheme +(\S+): (\d+) substeps, order (\d+)", told, re.M)
    ok(
        found == [("suzuki6", "25", "6"), ("sofroniou-spaletta8", "21", "8"), ("sofroniou-spaletta10", "35", "10")],
        "the conditions give the published orders",
        told,
    )
    process, result = run("published", open(JOB).read().replace("[0.8, 0.64, 0.4]", "[0.32, 0.2, 0.16]"))
    rows = {r["method"]: r for r in table(result)}
    for name, order in (("suzuki6", 6), ("sofroniou-spaletta8", 8)):
        row = rows[f"compose(rattle, {name})"]
        ok(abs(row["order_q"] - order) < 0.35, f"{name} as measured", row)
    listed = constella("show", "[0.25, 0.5, 0.25]").stdout
    ok("order        2 on" in listed, "a list whose cubes do not cancel has order 2", listed)
    for name in ("yoshida4", "suzuki4", "yoshida6", "kahan-li6", "kahan-li8"):
        page = constella("show", name).stdout
        order = re.search(r"^order +(\d+)", page, re.M)[1]
        ok(f"conditions   up to order {order}:" in page and name[-1] == order, f"{name} fulfils its conditions", page)


MISTAKES = [
    ("{mine: [0.5, 0.6]}", 17, "the gammas of a scheme must sum to 1; the sum is 1.1"),
    ("{mine: [0.25, 0.5, 0.15, 0.1]}", 17, "must be palindromic; number 1 is 0.25 and number 4 is 0.1000"),
    ('{mine: [0.5, "x"]}', 24, "unknown name 'x'"),
    ("{rattle: [1]}", 11, "the name 'rattle' is taken by a method"),
    ("{suzuki4: [1]}", 11, "the name 'suzuki4' is taken by a scheme"),
    ("{2a: [1]}", 11, "'2a' cannot name a layer, scheme or map"),
    ("{mine: 1}", 17, "it must be a list of numbers, the gammas of a scheme"),
    ("{mine: []}", 17, "is an empty list"),
    ("[1]", 10, "'schemes' must be a map of names to lists of numbers"),
]


def mistakes():
    for i, (schemes, column, said) in enumerate(MISTAKES):
        refused(f"wrong{i}", study(schemes), 7, column, said)
    refused("near", study(TRIPLE, '["compose(rattle, min)"]'), 8, 28, "did you mean 'mine'?")
    refused("alone", study(TRIPLE, "[mine]"), 8, 11, "unknown method 'mine'")
    refused("two", study(TRIPLE, '["compose(rattle, midpoint, mine)"]'), 8, 38, "goes with exactly one method")


def refused(name, text, line, column, said):
    process = constella("check", write(f"{name}.yaml", text))
    place = f":{line}:{column}: error: "
    ok(process.returncode == 2 and place in process.stderr and said in process.stderr, f"refused: {said}", process.stderr)


if __name__ == "__main__":
    equal()
    orders()
    mistakes()
    done()
