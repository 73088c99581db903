#!/usr/bin/python3
"""test_truths.py: a dozen of the claims whose truth is known (jobs/certify/truths), drawn: no verdict is false, and few are
undecidable; the same claims turned round are all found to be false verdicts; the lists are large, and give a reason for each. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses
import importlib.machinery
import importlib.util
import os
import pathlib
import random
import sys

from cli import done, ok, path

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEAR = ("temperature", "round-off")  # seconds each
sys.dont_write_bytecode = True
os.environ["CONSTELLA"] = os.path.abspath(os.environ.get("CONSTELLA", "build/constella"))


def loaded():
    loader = importlib.machinery.SourceFileLoader("truths", str(ROOT / "jobs/certify/truths"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("truths", loader))
    sys.modules["truths"] = module
    loader.exec_module(module)
    return module


truths = loaded()
everything = [t for name in truths.LISTS for t in truths.read(name)]
wrong = [t for t in everything if not t.holds]
ok(len(everything) > 500 and len(wrong) > 250 and all(t.why for t in everything), f"lists: {len(everything)} claims, {len(wrong)} of them wrong, each with its reason")
ok(len(set(everything)) == len(everything) and not {dataclasses.replace(t, holds=not t.holds) for t in everything} & set(everything), "lists: no claim twice")

rng = random.Random(20261130)
cheap = [t for t in everything if t.claim.rstrip("=") not in DEAR]
drawn = rng.sample([t for t in cheap if t.holds], 6) + rng.sample([t for t in cheap if not t.holds], 6)
found = truths.all_of(drawn, True, pathlib.Path(path("truths")))
for t in found:
    ok(t.verdict != truths.FALSE[t.holds], f"{t.told}: {t.verdict}", t.said)
told = [t for t in found if t.verdict in (truths.CONFIRMED, truths.REFUTED)]
ok(len(told) >= 9, f"drawn: {len(told)} of 12 are decided")
turned = [dataclasses.replace(t, holds=not t.holds) for t in told]
ok(truths.wrong(turned) == turned, "turned round, each is a false verdict")
done()
