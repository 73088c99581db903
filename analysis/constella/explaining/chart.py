"""chart.py: maps tolerance x step of cases of a result: their studies, their points, the file FILE.explain.h5."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import json
import pathlib
import tempfile
from typing import Any

import h5py
import numpy as np

from ..certifying.given import OURS
from ..certifying.maps import Method
from ..integrator import Layers, System
from ..reading import ConstellaError, optional
from ..result import Result
from ..running import call, program, worded
from .cause import FACTORS, LOOSER, Cause, Point

DROPPED = ("trajectories", "timing", "histograms", "averages", "burn-in", "events", "extremes", "tangent", "checkpoint", "observe", "title")
TIGHTEST = 1e-14
SEEN = 3.0  # errors of a slope


def tolerances(base: float) -> list[float]:
    return [t for t in (base / LOOSER, base, base * LOOSER) if TIGHTEST * 0.99 <= t <= 0.01]


def study_of(result: Result, case: int, methods: list[str], system: Any) -> dict[str, Any]:
    """The result's study with the map of one step."""
    study: dict[str, Any] = optional("yaml", "python3-yaml", "`constella explain`").safe_load(result.study)
    for key in DROPPED:
        study.pop(key, None)
    h, tolerance = float(result.nominal[case]), float(result.data("/cases/tolerance")[case])
    folder = pathlib.Path(result.path).resolve().parent
    for key in ("csv", "from"):
        if isinstance(study.get("initial"), dict) and key in study["initial"]:
            study["initial"][key] = str(folder / study["initial"][key])
    for own in (x for x in (study.get("layers") or {}).values() if isinstance(x, dict) and "file" in x):
        own["file"] = str(folder / own["file"])
    return study | {
        "study": "conservation", "system": system, "methods": methods, "samples": {"count": 0},
        "solver": {**study.get("solver", {}), "tolerance": tolerances(tolerance)}, "h": h,
    }  # fmt: skip


def timed(study: dict[str, Any], end: float) -> dict[str, Any]:
    """With its end and steps, which divide it: the steps of the map to a part in a thousand."""
    study = dict(study)
    h = study.pop("h")
    counts = sorted({max(64, round(end / (h * f))) for f in FACTORS})
    return study | {"end": end, "steps": {"counts": counts}}


def seconds_of(result: Result, cases: list[int], h: float, members: int, many: int) -> float:
    """Of the map for a unit of time, by the rates of the result."""
    rates = result.data("/run/steps_per_second")
    each = [1 / max(float(rates[c]), 1e-3) if rates is not None and np.isfinite(rates[c]) else 1e-5 for c in cases]
    return many * members * sum(each) * sum(1 / (h * f) for f in FACTORS)


def made(study: dict[str, Any], folder: pathlib.Path) -> pathlib.Path:
    """Runs it in the folder, which has the system's file."""
    path, out = folder / "study.yaml", folder / f"map-{len(list(folder.glob('*.h5')))}.h5"
    path.write_text(json.dumps(study))
    code, said = call([program(), "run", str(path), "-o", str(out), "--progress", "none"], False)
    if code not in (0, 1) or not out.exists():
        raise ConstellaError("the map cannot be run: " + (worded(said, path) or f"status {code}"))
    return out


def named(methods: list[str], study: pathlib.Path) -> tuple[System, dict[str, Method]]:
    """The system of a map's study, and its methods."""
    told = json.loads(study.read_text())
    system = System(study.parent / told["system"]["file"] if "file" in told["system"] else told["system"]["name"])
    own = study.with_name("own.yaml")
    own.write_text(json.dumps({key: told[key] for key in OURS if key in told}))
    layers = Layers(own) if told.keys() & set(OURS) else None
    return system, {m: Method(m, layers) for m in methods}


def exact(system: System, method: Method) -> set[str]:
    """What the method claims to keep to round-off: the energy, the momentum maps of symmetries."""
    kept = {"energy": ["energy"], "momentum": system.symmetries}
    return {of for claim in method.claims(system) for of in kept.get(claim, [])}


def points(path: pathlib.Path) -> dict[tuple[str, str], list[Point]]:
    """{(method, quantity): points} of a map."""
    found: dict[tuple[str, str], list[Point]] = {}
    with Result(path) as r:
        method, tolerance = r.texts("method"), r.data("/cases/tolerance")
        failing, members = r.failing.sum(axis=1), r.failing.shape[1]
        solving = {method[c] for c in range(r.ncase) if (r.data("/final/iterations")[c] > 0).any()}
        system, methods = named(method, path.with_name("study.yaml"))
        keeps = {m: exact(system, x) for m, x in methods.items()}
        for of in r.quantities("verdict"):
            column = {k: r.numbers(f"{of}_{k}") for k in ("slope", "slope_error", "slope_rms", "drift_limit", "scale")}
            largest = r.told("largest", of)
            windows = r.data(f"/windows/{of}")
            for c in range(r.ncase):
                rate = max(abs(column["slope"][c]), column["slope_rms"][c])
                scale = column["scale"][c] if np.isfinite(column["scale"][c]) and column["scale"][c] > 0 else 1.0
                leap = 0.0
                if windows is not None:
                    with np.errstate(invalid="ignore"):
                        jumps = np.abs(np.diff(windows[c], axis=-1))
                    leap = float(np.nanmax(jumps) / scale) if np.isfinite(jumps).any() else 0.0
                seen = np.isfinite(rate) and rate > SEEN * column["slope_error"][c]
                found.setdefault((method[c], of), []).append(
                    Point(
                        float(r.nominal[c]), float(tolerance[c]), float(rate) if seen else 0.0, float(np.nan_to_num(column["drift_limit"][c], nan=np.inf)),
                        float(np.nan_to_num(largest[c], nan=np.inf)), float(scale), float(r.data("/cases/n")[c]),
                        float(failing[c]) / members, r.texts("failures")[c], leap, method[c] in solving, of in keeps[method[c]], methods[method[c]].noisy,
                    )
                )  # fmt: skip
    return found


def beside(path: str | pathlib.Path) -> pathlib.Path:
    return pathlib.Path(path).with_name(pathlib.Path(path).name.removesuffix(".h5") + ".explain.h5")


def keep(path: pathlib.Path, maps: list[pathlib.Path], found: list[dict[str, Any]], of: str) -> None:
    """All maps as groups of one file, with what they explain; replaced at once."""
    part = path.with_name(path.name + ".part")
    with h5py.File(part, "w") as out:
        out.attrs["schema"], out.attrs["of"] = "constella-explanation 1", of
        out.attrs["causes"] = json.dumps(found)
        for k, one in enumerate(maps):
            with h5py.File(one) as f:
                group = out.create_group(f"map_{k}")
                for name in f:
                    f.copy(name, group)
                for name, value in f.attrs.items():
                    group.attrs[name] = value
    part.replace(path)


def kept(path: str | pathlib.Path, of: str) -> list[dict[str, Any]]:
    """What an earlier `constella explain` of this very result has found."""
    file = beside(path)
    if not file.exists():
        return []
    try:
        with h5py.File(file) as f:
            return json.loads(f.attrs["causes"]) if f.attrs.get("of") == of else []
    except (OSError, KeyError, ValueError):
        return []


def folder_with_system(result: Result) -> tuple[tempfile.TemporaryDirectory[str], Any]:
    """A folder with the system's text, as the result has it, and `system` of studies there."""
    folder = tempfile.TemporaryDirectory(prefix="constella-explain-")
    study = optional("yaml", "python3-yaml", "`constella explain`").safe_load(result.study)
    told = study["system"]
    if isinstance(told, dict) and "file" in told:
        (pathlib.Path(folder.name) / "system.yaml").write_text(result.description, encoding="utf-8")
        return folder, {"file": "system.yaml"}
    return folder, {"name": told if isinstance(told, str) else told["name"]}


__all__ = ["Cause"]
