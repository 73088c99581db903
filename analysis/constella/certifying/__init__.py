"""constella.certify: what a method claims, against what is measured: anybody's map (q, v) -> (q, v).

    constella.certify(["rattle", "project(rk4)"])                       # methods of Constella
    constella.certify(step, claims={"order": 2, "symplectic": 1})       # step(system, q, v, h) -> (q, v)

Each property is a file and a line in PROPERTIES; each system has a line in systems.py. docs/certificate.md is the
page on it.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

from .certificate import Certificate, certify

__all__ = ["Certificate", "certify"]
