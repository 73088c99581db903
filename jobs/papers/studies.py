"""studies.py: runs the studies of a paper into a folder, each once, in full or only their first steps.

Used by tables.py, statements.py and figures.py.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))


def mistake(words):
    """Ends the command for bad input."""
    print(f"{pathlib.Path(sys.argv[0]).name}: error: {words}", file=sys.stderr)
    sys.exit(2)


try:
    from constella import Result
except ImportError as e:
    mistake(
        f"needs the Python module {e.name}; "
        "Debian: apt-get install python3-h5py python3-numpy python3-matplotlib"
    )

CONSTELLA = os.environ.get("CONSTELLA", "build/constella")


def shortened(text, rows):
    """The study with only its first `rows` steps."""

    def first(match):
        return match[1] + ", ".join(match[2].split(", ")[:rows]) + match[3]

    text = re.sub(
        r"^(steps: .*halvings: )(\d+)", lambda m: m[1] + str(min(int(m[2]), rows - 1)), text, flags=re.M
    )
    return re.sub(r"^(steps: .*\[)(.*)(\].*)$", first, text, flags=re.M)


def case_of(result, method, step=None):
    """The case of a method's step, else of its smallest one; of the last parameter set or tolerance if there are
    several."""
    cases = {curve.method: curve.cases for curve in result.curves()}
    if method not in cases:
        mistake(f"the study has no method {method}; it has {', '.join(cases)}")
    found = [c for c in cases[method] if step is None or abs(result.steps[c] / step - 1) < 1e-4]
    if not found:
        mistake(f"the study has no step {step:g} of {method}")
    return found[-1]


def without_mpirun(text):
    """What a program has said, without the frame in which mpirun reports its exit status."""
    return re.sub(r"^-{50,}\n.*?^-{50,}\n?", "", text, flags=re.M | re.S).strip()


class Studies:
    """Runs the studies of a paper into a folder, each once."""

    def __init__(self, home, options):
        self.home, self.folder, self.rows, self.ranks = home, options.folder, options.rows, options.ranks
        self.results = {}

    def name(self, item, label):
        """The name of a table's or figure's result: that of its study, unless its text is changed."""
        return label if "change" in item else pathlib.Path(item["study"]).stem

    def refuse_existing(self, items):
        paths = sorted({str(self.folder / f"{self.name(item, label)}.h5") for label, item in items.items()})
        for path in filter(os.path.exists, paths):
            mistake(f"{path} exists; --overwrite replaces it")

    def result(self, item, label):
        name = self.name(item, label)
        if name not in self.results:
            study = self.text(item, name)
            self.results[name] = Result(str(self.run(study, name)))
        return self.results[name]

    def text(self, item, name):
        """The path of the study, or of a copy in the folder if its text is changed."""
        path = self.home / item["study"]
        text = changed = path.read_text()
        for old, new in item.get("change", {}).items():
            changed = changed.replace(old, new)
        if self.rows:
            changed = shortened(changed, self.rows)
        if changed != text:
            changed = re.sub(r"(?<=file: )[^,}\s]+", lambda m: str((self.home / m[0]).resolve()), changed)
            path = self.folder / f"{name}.yaml"
            path.write_text(changed)
        return path

    def run(self, study, name):
        result = self.folder / f"{name}.h5"
        ranks = ["mpirun", "-n", str(self.ranks)] if self.ranks else []
        command = [*ranks, CONSTELLA, "run", study, "-o", result, "--overwrite", "--progress", "none"]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        except FileNotFoundError as e:
            mistake(f"no program {e.filename}; the variable CONSTELLA names that of constella")
        if done.returncode:
            print(f"{name}: {without_mpirun(done.stderr)}", file=sys.stderr)
        if done.returncode > 1:
            sys.exit(2)
        return result
