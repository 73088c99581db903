"""running.py: constella.run: a study from a path, a text or a dict, run by the program `constella`, alone or
under mpirun."""
# SPDX-License-Identifier: BSD-2-Clause
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from .reading import ConstellaError
from .result import Result

HERE = pathlib.Path(__file__).resolve().parent


def program():
    """The program: CONSTELLA of the environment, that of this installation or build, or the one on the
    path."""
    named = os.environ.get("CONSTELLA")
    if named:
        return named
    for path in (
        HERE.parents[1] / "build" / "constella",
        *(p / "bin" / "constella" for p in HERE.parents[3:4]),
    ):
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("constella")
    if not found:
        raise ConstellaError("the program constella is not found; set CONSTELLA to its path")
    return found


def is_path(study):
    return isinstance(study, os.PathLike) or (
        isinstance(study, str) and "\n" not in study and not study.lstrip().startswith("{")
    )


def described(study, folder):
    """A dict as the text of a study. A system that is a map with coordinates or bodies, or a text of several
    lines, becomes a file in the folder."""
    study = dict(study)
    system = study.get("system")
    whole = isinstance(system, dict) and ({"coordinates", "bodies"} & set(system))
    if whole or (isinstance(system, str) and "\n" in system):
        path = folder / "system.yaml"
        path.write_text(json.dumps(system, indent=1) if whole else system, encoding="utf-8")
        study["system"] = {"file": str(path)}
    return json.dumps(study, indent=1)  # which is YAML


def default_output(study, text):
    if text is None:
        return pathlib.Path(pathlib.Path(study).stem + ".h5")
    title = study.get("title", "") if isinstance(study, dict) else ""
    return pathlib.Path((re.sub(r"[^A-Za-z0-9]+", "-", title).strip("-").lower() or "study") + ".h5")


def show_progress(stream, wanted):
    """Pass on the output of the run, line by line; return the last lines, for errors."""
    said = []
    for line in stream:
        said = [*said[-40:], line.rstrip("\n")]
        if wanted and line.strip():
            sys.stderr.write(line)
            sys.stderr.flush()
    return said


def run(
    study, output=None, ranks=None, progress=True, overwrite=False, resume=False, options=(), mpirun="mpirun"
):
    """Run a study and open its result.

    study     a path, the text of a study file, or a dict of its keys; in a dict `system` may be a whole
    system: a dict, or its text output    the result file; the default is the study's name, or its title,
    with .h5, in the current folder ranks     so many under mpirun; None: one process without it progress
    print what the run says while it goes, to stderr overwrite, resume, options    as the command line has
    them; options: a list of words Returns the Result, which tells failures of single trajectories. Raises
    ConstellaError with the program's messages where it refuses the study or is interrupted.
    """
    with tempfile.TemporaryDirectory(prefix="constella-") as temporary:
        folder, text = pathlib.Path(temporary), None
        if not is_path(study):
            text = described(study, folder) if isinstance(study, dict) else study
        output = pathlib.Path(output) if output is not None else default_output(study, text)
        path = pathlib.Path(study) if text is None else folder / "study.yaml"
        if text is not None:
            path.write_text(text, encoding="utf-8")
        line = [
            program(),
            "run",
            str(path),
            "-o",
            str(output),
            "--progress",
            "log" if progress else "none",
            *map(str, options),
        ]
        line += ["--overwrite"] * overwrite + ["--resume"] * resume
        line = [mpirun, "-n", str(ranks), *line] if ranks else line
        root = (
            {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
            if os.geteuid() == 0
            else {}
        )
        try:
            process = subprocess.Popen(
                line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **root}
            )
        except OSError as e:
            raise ConstellaError(f"{line[0]} cannot be started: {e.strerror}") from None
        with process:
            try:
                said = show_progress(process.stdout, progress)
            except BaseException:
                process.terminate()
                raise
        if process.returncode not in (0, 1) or not output.exists():
            told = (
                "\n".join(said).replace(str(path), "the study")
                or f"the run ended with status {process.returncode}"
            )
            raise ConstellaError(told)
    return Result(output)
