"""explaining: `constella explain`: where the drift of a conservation result comes from, by a map tolerance x step.

cause.py tells causes apart by the numbers of a map, chart.py runs maps and keeps them, command.py prints.
"""
# SPDX-License-Identifier: BSD-2-Clause
