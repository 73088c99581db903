"""test_dyadic.py: the program reports the step and the end of a run where they differ from those in the
study."""
# SPDX-License-Identifier: BSD-2-Clause
import math
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, done, h5py, ok, run, write

STUDY = """study: conservation
system: planar-pendulum
end: 20
steps: [{step}]
methods: [rattle]
{more}"""


def dyadic(h):
    mantissa, exponent = math.frexp(h)
    return math.ldexp(round(math.ldexp(mantissa, 20)), exponent - 20)


def told():
    h, n = dyadic(0.05), 400
    assert h != 0.05
    text = STUDY.format(step=0.05, more="")
    page = constella("check", write("dyadic.yaml", text)).stdout
    ok(
        "run as the numbers of 20 bits" in page and "dyadic-steps: false" in page,
        "check says that steps are not run as written, and how they are",
        page,
    )
    ok(repr(h) in page and repr(n * h) in page, "check tells the step and the end", page)
    process, result = run("dyadic", text)
    with h5py.File(result, "r") as f:
        ok(
            f["statistics/step"][0] == 0.05
            and f["statistics/step_taken"][0] == h
            and f["statistics/end"][0] == n * h,
            "the file holds the step as written, the step and the end that were run",
        )
        ok(
            f["statistics/step_taken"][0] == f["cases/h"][0] and f["series/t"][0].max() == n * h,
            "they are those of the run",
        )
    table = constella("table", result).stdout
    ok(f"0.05 as {h!r}, to t = {n * h!r}" in table, "the table says it", table)
    ok(" as " not in constella("table", result, "--format", "csv").stdout, "csv has no footnote")


def silent():
    for name, step, more in (
        ("few-bits", 0.0625, ""),
        ("as-written", 0.05, "roundoff: {dyadic-steps: false}\n"),
    ):
        text = STUDY.format(step=step, more=more)
        page = constella("check", write(f"{name}.yaml", text)).stdout
        process, result = run(name, text)
        ok("20 bits" not in page + constella("table", result).stdout, f"{name}: nothing to say", page)


told()
silent()
done()
