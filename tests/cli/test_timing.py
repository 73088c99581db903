"""test_timing.py: `timing: {repeats: N}`: the processor's time of each case, the least and the largest of
repeats, in the file and the table."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, differences, digests, done, h5py, numpy, ok, run, table, together, write

STUDY = """study: order
system: double-pendulum
initial: {members: 16, seed: 1, around: default, spread: {q: 0.05, v: 0.05}}
end: 20
steps: [0.04, 0.02, 0.01, 0.005]
methods: [rattle, "compose(rattle, yoshida4)"]
reference: self
TIMING
"""


def timed():
    _, result = run("timed", STUDY.replace("TIMING", "timing: {repeats: 5}"), ranks=2)
    _, plain = run("plain", STUDY.replace("TIMING", ""))
    with h5py.File(result) as f, h5py.File(plain) as g:
        least, most = f["run/cpu_seconds"][:].reshape(2, 4), f["run/cpu_seconds_most"][:].reshape(2, 4)
        ok(
            (least > 0).all() and (most >= least).all() and numpy.isfinite(most).all(),
            "each case has the least and the largest of its repeats",
            least,
            most,
        )
        ok("cpu_seconds" not in g["run"], "a study that does not ask for it has none")
    apart = [x for x in differences(digests(result), digests(plain)) if not x.startswith("/@study")]
    ok(not apart, "nothing else differs", apart)
    rows = table(result)
    ok(
        rows[0]["cpu_seconds"] > 0 and rows[0]["cpu_seconds_most"] >= rows[0]["cpu_seconds"],
        "in the table",
        rows[0],
    )


def mistakes():
    for what, words, at in (
        ("timing: {repeats: 0}", "'repeats' is 0; it must be an integer from 1 to 1000", 19),
        ("timing: {}", "missing key 'repeats' in 'timing'", 9),
        ("timing: {repeat: 5}", "unknown key 'repeat'", 10),
        ("timing: 5", "'timing' is a single value; it must be a map with keys of: repeats", 9),
    ):
        process = constella("check", write("mistake.yaml", STUDY.replace("TIMING", what)))
        ok(
            process.returncode == 2
            and f"mistake.yaml:8:{at}: error: " in process.stderr
            and words in process.stderr,
            f"{what}: refused in its place",
            process.stderr,
        )


together([timed, mistakes])
done()
