"""writing.py: writes a file completely or not at all."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import pathlib


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
