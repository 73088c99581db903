"""running.py: constella.run: a study from a path, a text or a dict, run by the program `constella`, alone or
under mpirun."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import atexit
import contextlib
import ctypes
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, Union

from .reading import ConstellaError, ResultError
from .result import Result

HERE = pathlib.Path(__file__).resolve().parent
Path = Union[str, "os.PathLike[str]"]
OVER = -1000  # status of a run that a limit has ended
KEPT = ".constella"  # below the working folder: the systems that were given as text or as dict
SAID = {  # words of the command line in the messages, and those of Python
    "; name another output, or --overwrite": "; name another output, or overwrite=True",
    "start over with --overwrite": "start over with overwrite=True",
    "--overwrite replaces it": "overwrite=True replaces it",
    "the same line with --resume goes on": "the same call goes on",
}


def status_of(done: subprocess.CompletedProcess[bytes]) -> int:
    """The exit status of a process as a shell has it, also of one that a signal has ended."""
    return 128 - done.returncode if done.returncode < 0 else done.returncode


def program() -> str:
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


def hear(stop: Any) -> list[signal.Signals]:
    """Let this function, which raises an exception, handle the signals that end a run of the program too, but those that are
    ignored, as under nohup. It is called again and again, since Python drops an exception in a destructor, until who
    has caught it is deaf to the signals that are returned."""
    names = ("SIGTERM", "SIGINT", "SIGUSR1", "SIGUSR2", "SIGHUP", "SIGQUIT", "SIGXCPU")
    heard = [n for n in map(signal.Signals.__getitem__, names) if signal.getsignal(n) is not signal.SIG_IGN]
    first: list[int] = []

    def handle(number: int, frame: Any) -> None:
        first.append(number)
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
        stop(first[0], frame)

    for number in (*heard, signal.SIGALRM):
        signal.signal(number, handle)
    atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)
    return [*heard, signal.SIGALRM]


def be_deaf(heard: list[signal.Signals]) -> None:
    for number in heard:
        signal.signal(number, signal.SIG_IGN)


# ---- the study as a file


def is_path(study: object) -> bool:
    return isinstance(study, os.PathLike) or (
        isinstance(study, str) and "\n" not in study and not study.lstrip().startswith("{")
    )


def plain(x: Any) -> Any:
    """Paths and numbers of numpy, for json."""
    if isinstance(x, os.PathLike):
        return os.fspath(x)
    if hasattr(x, "tolist"):
        return x.tolist()
    raise ConstellaError(f"a study has no place for {x!r}, a {type(x).__name__}")


def is_system(x: Any) -> bool:
    """Whether this is a whole system, as a dict or as its text, instead of the name or path of one."""
    if isinstance(x, Mapping):
        return bool({"coordinates", "bodies"} & set(x))
    return isinstance(x, str) and "\n" in x


def keep_system(system: Any, folder: pathlib.Path) -> str:
    """The path, relative to the folder, of a file with this system. Its name depends on the contents alone,
    so that the same study has the same text, and a result can be resumed and verified."""
    text = system if isinstance(system, str) else json.dumps(system, indent=1, default=plain)
    name = re.search(r"^\s*\"?system\"?:\s*\"?([\w-]+)", text, re.M)
    path = folder / KEPT / f"{name[1] if name else 'system'}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.yaml"
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        part = path.with_suffix(f".{os.getpid()}")
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    return os.path.join(KEPT, path.name)


def described(study: Mapping[str, Any], folder: pathlib.Path) -> str:
    """A dict as the text of a study, whose paths are relative to the folder."""
    study = dict(study)
    system = study.get("system")
    if is_system(system):
        study["system"] = {"file": keep_system(system, folder)}
    elif isinstance(system, Mapping) and is_system(system.get("file")):
        study["system"] = {**system, "file": keep_system(system["file"], folder)}
    return json.dumps(study, indent=1, default=plain)  # which is YAML


@contextlib.contextmanager
def written(study: Any) -> Iterator[pathlib.Path]:
    """The path of the study. A text or a dict becomes a file of the working folder for the time of the run,
    since a study's paths are relative to its file."""
    if is_path(study):
        yield pathlib.Path(study)
        return
    folder = pathlib.Path.cwd()
    with contextlib.ExitStack() as stack:
        if not os.access(folder, os.W_OK):
            folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="constella-")))
        text = described(study, folder) if isinstance(study, Mapping) else study
        with tempfile.NamedTemporaryFile("w", dir=folder, prefix=".study-", suffix=".yaml") as file:
            file.write(text)
            file.flush()
            yield pathlib.Path(file.name)


def default_output(study: Any) -> pathlib.Path:
    if is_path(study):
        return pathlib.Path(pathlib.Path(study).stem + ".h5")
    title = str(study.get("title", "")) if isinstance(study, Mapping) else ""
    return pathlib.Path((re.sub(r"[^A-Za-z0-9]+", "-", title).strip("-").lower() or "study") + ".h5")


# ---- the run


def show_progress(stream: Iterable[str], wanted: bool) -> list[str]:
    """Pass on the output of the run, line by line; return the last lines, for errors."""
    said: list[str] = []
    for line in stream:
        said = [*said[-40:], line.rstrip("\n")]
        if wanted and line.strip():
            sys.stderr.write(line)
            sys.stderr.flush()
    return said


def end_with_parent() -> None:
    """Of a child: Linux kills it when the thread that started it ends, even by SIGKILL."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def start(line: list[str], dies: bool = False) -> subprocess.Popen[str]:
    """dies: it ends with this process, whatever ends that."""
    mpi = {"OMPI_MCA_orte_execute_quiet": "1"}
    if os.geteuid() == 0:
        mpi.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    try:
        return subprocess.Popen(
            line,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **mpi},
            preexec_fn=end_with_parent if dies else None,
        )
    except OSError as e:
        raise ConstellaError(f"{line[0]} cannot be started: {e.strerror}") from None


def computed(pid: int) -> float:
    """Seconds of the processor that a process and the children it has waited for have taken; 0: it has ended."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0
    return sum(map(int, text.rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")


def watch(process: subprocess.Popen[str], limit: float, ended: threading.Event, stopped: threading.Event) -> None:
    """Kills it when it has computed for longer than the limit: a step that fails keeps it from making a checkpoint."""
    while not ended.wait(0.05):
        if computed(process.pid) > limit:
            stopped.set()
            process.kill()
            return


def call(line: list[str], progress: bool, dies: bool = False, limit: float = 0.0) -> tuple[int, list[str]]:
    """(exit status, last lines of its output). An interruption of Python ends the run, with a checkpoint; the limit, in seconds
    of the processor, kills it, with status OVER."""
    with start(line, dies) as process:
        stream: IO[str] = process.stdout  # type: ignore[assignment]
        ended, stopped = threading.Event(), threading.Event()
        watching = threading.Thread(target=watch, args=(process, limit, ended, stopped), daemon=True)
        try:
            if limit:
                watching.start()
            said = show_progress(stream, progress)
        except BaseException:
            process.terminate()
            raise
        finally:
            ended.set()
    return OVER if stopped.is_set() else process.returncode, said


def refuse_other_program(output: pathlib.Path) -> None:
    """A complete result of another program may hold other bits. The program itself compares the studies, and
    refuses checkpoints of others."""
    try:
        with Result(output) as old:
            made = f"{old.attribute('/', 'version')} ({old.attribute('/', 'git')})"
            complete = old.complete
    except ResultError:
        return  # the program tells what it is
    now = call([program(), "--version"], False)[1][0].removeprefix("constella ")
    if complete and made != now:
        raise ConstellaError(
            f"{output}: made by another program, constella {made}; this is {now}; constella.open reads it, "
            "overwrite=True replaces it, and `constella verify` compares bits"
        )


# What prterun of Open MPI 5 says of a rank that ends with a status other than 0. The mpirun of version 4 is told to
# be quiet.
PRTERUN = re.compile(r"^-{60,}\nprterun detected .*?\n-{60,}$", re.MULTILINE | re.DOTALL)


def worded(said: list[str], path: pathlib.Path) -> str:
    """The messages of the program, in words of Python."""
    text = PRTERUN.sub("", "\n".join(said)).replace(str(path), "the study").strip("\n")
    for then, now in SAID.items():
        text = text.replace(then, now)
    return text


def run(
    study: Path | Mapping[str, Any],
    output: Path | None = None,
    ranks: int | None = None,
    progress: bool = True,
    overwrite: bool = False,
    resume: bool = True,
    options: Iterable[object] = (),
    mpirun: str = "mpirun",
) -> Result:
    """Run a study and open its result.

    A result of the same study and program is not computed again: it is opened, and an interrupted one
    continues. If the file holds another one, the error tells what differs.

    Parameters
    ----------
    study : path, str or dict
        The path of a study file, the text of one, or a dict of its keys. In a dict, `system`, or its key
        `file`, may be a whole system: a dict, or its text. Paths in a text or dict are relative to the
        working folder.
    output : path, optional
        The result file. Default: the name of the study, or its title, with .h5, in the working folder.
    ranks : int, optional
        So many ranks under mpirun. Default: one process without mpirun.
    progress : bool
        Print what the run reports, to stderr.
    overwrite : bool
        Replace a file that exists.
    resume : bool
        False: an existing file is an error.
    options : list
        Further words of the command line.
    mpirun : str
        The command that starts ranks.

    Returns
    -------
    Result
        Trajectories that failed raise no error; `failures` of the result lists them.

    Raises
    ------
    ConstellaError
        With the program's messages, if it refuses the study or is interrupted.
    """
    target = default_output(study) if output is None else pathlib.Path(output)
    again = target.exists() and not overwrite and resume
    if again:
        refuse_other_program(target)
    with written(study) as path:
        line = [program(), "run", str(path), "-o", str(target)]
        line += ["--progress", "log" if progress else "none", *map(str, options)]
        line += ["--overwrite"] * overwrite + ["--resume"] * again
        line = [*shlex.split(mpirun), "-n", str(ranks), *line] if ranks else line
        code, said = call(line, progress)
    if code not in (0, 1) or not target.exists():
        raise ConstellaError(worded(said, path) or f"the run ended with status {code}")
    return Result(target)
