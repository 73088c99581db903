"""writing.py: writes a file completely or not at all, and standard output with the messages of the program."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import pathlib
import signal
import sys


def write(path, data):
    """Write the whole file or nothing: a reader never sees a part."""
    path = pathlib.Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    except OSError as e:
        if part.exists():
            part.unlink()
        raise OSError(e.errno, f"cannot write: {e.strerror}", str(path)) from None


def put(data):
    """Write bytes on standard output. Where it cannot be written the process ends as those of other commands do."""
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as e:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is written at the end of Python
        if isinstance(e, BrokenPipeError):  # nobody reads it any more
            sys.exit(128 + signal.SIGPIPE)
        sys.stderr.write(f"constella: error: standard output cannot be written: {e.strerror}\n")
        sys.exit(1)
