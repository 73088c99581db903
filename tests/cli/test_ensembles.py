"""test_ensembles.py: deviations, standard errors and intervals of quantiles over members are those that numpy
and scipy have, for any number of ranks; the intervals contain the true value with their probability."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import close, constella, differences, digests, done, h5py, numpy, ok, run, skip, table, together

try:
    from scipy.stats import binom
except ImportError:
    binom = None

STUDY = """study: ensemble
system: planar-pendulum
initial: {members: MEMBERS, seed: 5, around: default, spread: {v: WIDTH}}
end: 2
steps: [0.1, 0.05]
methods: [rattle]
observables: [energy, "height: y"]
samples: {count: 0}
"""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def study(members, width):
    return STUDY.replace("MEMBERS", str(members)).replace("WIDTH", str(width))


def ranks_of(n, p):
    """From 1; 0 and n + 1: no bound."""
    return int(binom.ppf(0.025, n, p)), int(binom.ppf(0.975, n, p)) + 1


def against(members, width):
    def test():
        name = f"members-{members}"
        result = run(name, study(members, width))[1]
        file = h5py.File(result, "r")
        for case in (0, 1):
            good = file["final/status"][case] == 0
            for quantity in ("energy", "height", "displacement"):
                x = file[f"observables/{quantity}"][case, :, 1][good]
                n = len(x)
                told = {
                    key: file[f"statistics/{quantity}_{key}"][case]
                    for key in ("mean", "std", "sem", "rms", "rms_sem")
                }
                rms = numpy.sqrt((x * x).mean())
                wanted = {
                    "mean": x.mean(),
                    "std": x.std(ddof=1),
                    "sem": x.std(ddof=1) / n**0.5,
                    "rms": rms,
                    "rms_sem": (x * x).std(ddof=1) / n**0.5 / (2 * rms),
                }
                ok(
                    all(close(told[k], wanted[k], 1e-12) for k in told),
                    f"{n} members, {quantity}: deviation and standard errors",
                    told,
                    wanted,
                )
                x.sort()
                for p in QUANTILES if binom else ():
                    low, high = ranks_of(n, p)
                    wanted = [x[low - 1] if low >= 1 else numpy.nan, x[high - 1] if high <= n else numpy.nan]
                    told = [
                        file[f"statistics/{quantity}_q{round(100 * p):02d}_{end}"][case]
                        for end in ("low", "high")
                    ]
                    ok(
                        numpy.array_equal(told, wanted, equal_nan=True),
                        f"{n} members, {quantity}: interval of the {p} quantile",
                        told,
                        wanted,
                        low,
                        high,
                    )
        if members == 300:
            ok(good.sum() < members, "where some failed", good.sum())
            rows = table(result)
            ok(
                close(rows[1]["height_sem"], file["statistics/height_sem"][1])
                and rows[1]["height_q50_low"] < rows[1]["height_q50"] < rows[1]["height_q50_high"],
                "in the table",
                rows[1],
            )

    return test


def ranks():
    first = digests(run("alone", study(100, 1.0))[1])
    other = digests(run("three", study(100, 1.0), "--batch", "16", ranks=3)[1])
    ok(
        not differences(first, other),
        "three ranks, other batches: the same numbers",
        differences(first, other),
    )


def untaken():
    """An observable that the study does not take has no number: no member has failed."""
    process, result = run("untaken", study(4, 1.0).replace("[energy, ", "["))
    told = constella("table", result)
    ok("biased" not in told.stdout and "height" in told.stdout, "no mean is called biased where no member failed", told.stdout)


def covered():
    """At least 95 % of samples of 40, where the probability is given: by the distribution itself."""
    for p in QUANTILES:
        low, high = ranks_of(40, p)
        inside = binom.cdf(high - 1, 40, p) - (binom.cdf(low - 1, 40, p) if low else 0)
        ok(inside >= 0.95, f"the interval of the {p} quantile covers", inside)


together(
    [against(2, 1.0), against(7, 1.0), against(100, 1.0), against(300, 9.0), ranks, untaken]
    + ([covered] if binom else [])
)
if not binom:
    skip("intervals of quantiles", "scipy is not installed")
done()
