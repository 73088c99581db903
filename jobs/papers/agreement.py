"""agreement.py: how many digits of a printed and a measured number agree, and whether they suffice.

Used by tables.py. The number of agreeing digits is the largest d for which the measured value lies within
half a unit of the d-th significant digit of the printed one, at most as many as are printed. All digits
agree if the measured value, rounded, is the printed one.

One rule says whether a number agrees: four digits, or all that are printed if they are fewer; a rate, rounded to
the printed decimals, to 0.01; a number of the size of round-off stays below its bound. A number for which a paper's
file allows more than the rule is an exception: it does not count as agreeing unless it follows the rule, and it
must be within what is allowed.
"""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses
from decimal import Decimal

SOUGHT = 4  # digits that agree by the rule
WIDTH = 0.01  # of a rate, by the rule


@dataclasses.dataclass(frozen=True)
class Entry:
    """A printed number, the measured one, and the judgement. passed: it is as its file allows; agrees: it
    follows the rule; digits: how many agree, if counted."""

    place: tuple  # table, block, row, heading
    printed: str
    measured: float
    kind: str
    passed: bool
    words: str
    digits: int = 0
    agrees: bool = False


def agreeing_digits(printed, measured):
    value = Decimal(printed)
    difference = abs(Decimal(measured) - value)
    first = value.adjusted()
    return max(
        (d for d in range(1, significant(printed) + 1) if difference <= Decimal(5).scaleb(first - d)),
        default=0,
    )


def significant(printed):
    """How many significant digits are printed."""
    return len(Decimal(printed).as_tuple().digits)


def decimals(printed):
    return -Decimal(printed).as_tuple().exponent


def judge_digits(printed, measured, wanted):
    """(passed, words, digits): at least `wanted` digits agree, or all that are printed."""
    found = agreeing_digits(printed, measured) if measured == measured else 0
    asked = min(int(wanted), significant(printed))
    return (
        found >= asked,
        f"{found} digits" + (f" ({asked} asked)" if asked < min(SOUGHT, significant(printed)) else ""),
        found,
    )


def judge_within(printed, measured, width):
    """The same for a number of fixed decimals: rounded to them, it differs by `width` at most."""
    off = abs(round(measured, decimals(printed)) - float(printed))
    return off < width + 1e-9, f"off by {off:.{decimals(printed)}f} ({width:g} allowed)", 0


def judge_bound(printed, measured, bound):
    """The same for round-off, of which no digit can agree."""
    return measured <= bound, f"bound {bound:g}", 0


JUDGES = {"digits": judge_digits, "within": judge_within, "bound": judge_bound}


def entry_of(place, column, cell, measured):
    """The judgement of a cell, VALUE or VALUE~X, by the one of the keys of JUDGES that its column has."""
    kind = next(kind for kind in JUDGES if kind in column)
    printed, _, asked = cell.partition("~")
    allowed = float(asked or column[kind])
    passed, words, digits = JUDGES[kind](printed, measured, allowed)
    agrees = JUDGES[kind](printed, measured, {"digits": SOUGHT, "within": WIDTH, "bound": allowed}[kind])[0]
    return Entry(place, printed, measured, kind, passed, words, digits, agrees)


def as_printed(entry):
    """The measured value with as many digits as the printed one."""
    return (
        f"{entry.measured:.{decimals(entry.printed)}f}"
        if entry.kind == "within"
        else f"{entry.measured:.{significant(entry.printed) - 1}e}"
    )
