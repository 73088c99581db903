"""Studies of many cases: the conclusions are those of any number of ranks, go on after a stop, and take their
share of progress and estimates; tables are printed in linear time."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import signal
import subprocess

from cli import ENVIRONMENT, FOLDER, PROGRAM, constella, differences, digests, done, h5py, made
from cli import numpy, ok, path, together, write
from held import Gate, ticking

SWEEP = """study: conservation
system: {name: planar-pendulum, parameters: {L: {from: 1, to: 2, count: COUNT}}}
initial: {members: 2, seed: 3, spread: {q: 0.1, v: 0.1}}
end: 6.4
steps: [0.1]
methods: [rattle]
samples: {count: 0}
"""
# Several steps of a method are concluded together: 400 cases, more than a piece.
ORDER = """study: order
system: {name: planar-pendulum, parameters: {L: {from: 1, to: 2, count: 80}}}
end: 0.4
steps: {from: 0.1, halvings: 4}
methods: [rattle]
reference: {method: "gauss(4)", step: 0.1}
"""
ENSEMBLE = """study: ensemble
system: {name: planar-pendulum, parameters: {L: {from: 1, to: 2, count: COUNT}}}
initial: {members: MEMBERS, seed: 3, spread: {q: 0.1, v: 0.1}}
end: 0.4
steps: [0.1]
methods: [rattle]
samples: {count: 0}
"""
HISTOGRAM = "averages: {}\nhistograms: [{name: place, expression: x, from: -2, to: 2, bins: 5}]\n"


def ranks(name, text, numbers):
    """Pieces are concluded on any rank, with the same bits."""

    def test():
        made(name, text).close()
        for n in numbers:
            made(f"{name}-{n}", text, ranks=n).close()
            apart = differences(digests(path(f"{name}.h5")), digests(path(f"{name}-{n}.h5")))
            ok(not apart, f"{name}: the same bytes on 1 and {n} ranks", apart)

    return test


def concluded(result):
    """The number of cases whose columns are written."""
    try:
        with h5py.File(result, "r", locking=False) as f:
            return int(numpy.isfinite(f["/statistics/failed"][()]).sum())
    except (OSError, KeyError):
        return 0


def stopped():
    """A signal during the conclusions makes a checkpoint, and the resumed run concludes the rest."""
    text = SWEEP.replace("COUNT", "300")
    study, result = write("stopped.yaml", text), path("stopped.h5")
    gate = Gate("clock:100", result)
    process = subprocess.Popen(
        [PROGRAM, "run", study, "-o", result, "--progress", "none"],
        env={**ENVIRONMENT, **ticking(0.01), **gate.env},
        cwd=FOLDER,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    gate.steps(process, 50, lambda: concluded(result))
    process.send_signal(signal.SIGTERM)
    gate.heard(process)
    gate.open()
    told = process.communicate()[0]
    had = concluded(result)
    ok(
        process.returncode == 75 and 0 < had < 300 and os.path.exists(result + ".checkpoint.1"),
        f"a signal after {had} of 300 conclusions: a checkpoint",
        process.returncode,
        told,
    )
    share = float((re.search(r"at ([\d.]+) %", told) or ["", "nan"])[1])
    ok(0 < share < 100, f"the conclusions are part of the progress: {share} %", told)
    again = constella("run", study, "-o", result, "--progress", "none", "--resume", ranks=2)
    ok(again.returncode == 0, "the run is resumed on 2 ranks", again.stderr, again.stdout)
    with h5py.File(result, "r") as f:
        before = f["/run"].attrs["work_before"]
    ok(0.8 * had / 300 < before < 1, f"and begins at {100 * before:.1f} % of the work", had)
    made("undisturbed", text).close()
    apart = differences(digests(path("undisturbed.h5")), digests(result))
    ok(not apart, "the bytes are those of an undisturbed run", apart)


def seconds(*words):
    """Processor time of the program, the least of two runs."""
    least = float("inf")
    for _ in range(2):
        process = subprocess.Popen(
            [PROGRAM, *words], env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
        least = min(least, used.ru_utime)
    return least


def tables():
    """Four times the rows take about four times as long: a cell must not look at its whole column."""
    few, many = 3000, 12000
    for count in (few, many):
        made(f"table-{count}", ENSEMBLE.replace("COUNT", str(count)).replace("MEMBERS", "1")).close()
    for words in ((), ("--format", "csv")):
        for _ in range(3):  # what looks at whole columns would take sixteen times as long, each time
            a, b = (seconds("table", path(f"table-{count}.h5"), "--columns", "all", *words) for count in (few, many))
            if b < 8 * a:
                break
        ok(
            b < 8 * a,
            f"a table of {many} rows{' as csv' if words else ''} takes {b / a:.1f} times as long as {few}",
            a,
            b,
        )


def estimates():
    """`check` tells what the conclusions take."""
    page = constella("check", write("check.yaml", SWEEP.replace("COUNT", "1000"))).stdout
    more = constella("check", write("check.yaml", SWEEP.replace("COUNT", "3000"))).stdout
    found = [re.search(r"^conclusions +about ([\d.e+-]+) s more$", p, re.M) for p in (page, more)]
    one, three = (float(x[1]) if x else float("nan") for x in found)
    ok(0.2 < one < 20 and abs(three / one - 3) < 0.1, f"1000 verdicts of three observables: {one} s", page)


together(
    [
        ranks("verdicts", SWEEP.replace("COUNT", "60"), (2, 3)),
        ranks("orders", ORDER, (2,)),
        ranks("histograms", ENSEMBLE.replace("COUNT", "300").replace("MEMBERS", "5") + HISTOGRAM, (3,)),
    ],
    2,
)
stopped()
tables()
estimates()
done()
