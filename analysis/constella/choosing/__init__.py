"""choosing: `constella choose`: which method and step meets a goal on a system at the least cost, by measurement.

goal.py reads the goal, candidates.py lists methods, scale.py finds the time of the system, ladder.py steps and horizons,
heats.py runs studies, judge.py compares their rows with the goal, tournament.py decides, choice.py keeps and prints.
"""
# SPDX-License-Identifier: BSD-2-Clause
