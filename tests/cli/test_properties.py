"""test_properties.py: jobs/properties/properties.py: its quick lines hold, a figure that does not hold ends it with status 1,
an unknown line is refused; every line and study of the folder is on its page."""
# SPDX-License-Identifier: BSD-2-Clause
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import ENVIRONMENT, PROGRAM, done, ok, path

HOME = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "properties"
sys.path.insert(0, str(HOME))

import properties  # noqa: E402


def run(*words):
    return subprocess.run(
        [sys.executable, str(HOME / "properties.py"), "-o", path("properties"), *words],
        env={**ENVIRONMENT, "CONSTELLA": PROGRAM},
        capture_output=True,
        text=True,
    )


process = run("crossings", "shadow", "controls")
ok(process.returncode == 0, "crossings, shadow energies and controls hold", process.stdout, process.stderr)
rows = [x for x in process.stdout.splitlines() if x.endswith("| holds |")]
ok(len(rows) == 15, "every figure has its row", process.stdout)
ok({x.split(" | ")[0][2:] for x in rows} == {"crossings", "shadow", "controls"}, "of every line", rows)
process = run("crosings")
ok(process.returncode == 2 and "unknown line 'crosings'" in process.stderr, "an unknown line is refused", process.stderr)

sys.argv = ["properties.py", "-o", path("none"), "crossings"]
properties.LINES["crossings"] = lambda runs: properties.below("crossings", "a figure", 2, 1)
ok(properties.main() == 1 and properties.FAILED == ["a figure"], "a figure that does not hold ends it with status 1")

page = (HOME / "README.md").read_text()
for name in list(properties.LINES) + [x.stem for x in HOME.glob("*.yaml")]:
    ok(f"`{name}`" in page, f"{name} is on the page")
done()
