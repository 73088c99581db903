"""distributions.py: measures of a histogram of a result: its peak, and the fraction and the mean of the
samples below a bound. Used by statements.py.
"""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np


def peak(edges, density, under):
    """The maximum below `under`, of the parabola through all bins next to the largest with more than nine
    tenths of it."""
    top = density[edges[1:] <= under + 1e-9].argmax()
    low, high = top, top
    while low and density[low - 1] > 0.9 * density[top]:
        low -= 1
    while high + 1 < density.size and density[high + 1] > 0.9 * density[top]:
        high += 1
    middle = (edges[1:] + edges[:-1]) / 2
    if high - low < 2:
        return float(middle[top])
    square, slope, _ = np.polyfit(middle[low : high + 1] - middle[top], density[low : high + 1], 2)
    return float(middle[top] - slope / (2 * square))


def part(edges, density, under):
    """The part of all samples below `under`, which is an edge."""
    inside = edges[1:] <= under + 1e-9
    return float((density * np.diff(edges))[inside].sum())


def mean(edges, density, under):
    """The mean of the samples below `under`, each taken at the middle of its bin."""
    inside = edges[1:] <= under + 1e-9
    weight = (density * np.diff(edges))[inside]
    return float((weight * (edges[1:] + edges[:-1])[inside] / 2).sum() / weight.sum())


MEASURES = {"peak": peak, "part": part, "mean": mean}


def measured_of(result, case, item):
    """The measure `of` the histogram that the item names, below its `under`."""
    return MEASURES[item["of"]](*result.histogram(item["histogram"], case)[:2], item.get("under", np.inf))
