"""examined.py: what can be said of a stepper of others before any of its code runs: whether its file is there, defines the
function, can be executed, or is a library with a stepper of our version."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import ast
import os
import pathlib
import platform
import shutil
import struct
from collections.abc import Iterator

from ..reading import nearest
from .shared import VERSION

SYMBOL = b"cst_user_stepper"
MACHINES = {"x86_64": 62, "aarch64": 183, "ppc64le": 21, "riscv64": 243}  # of ELF
DYNSYM = 11  # the type of the section with the symbols of a library


def mistake(kind: str, what: str | list[str], folder: str) -> str:
    """Of a row of strangers.KINDS; "" where none is seen."""
    if kind == "python":
        return of_python(str(what), folder)
    return of_program(list(what), folder) if kind == "program" else of_library(os.path.join(folder, str(what)))


def unreadable(path: str) -> str:
    if not os.path.isfile(path):
        return f"{path}: {'is no regular file' if os.path.exists(path) else 'there is no such file'}"
    return "" if os.access(path, os.R_OK) else f"{path}: cannot be read"


def of_python(text: str, folder: str) -> str:
    file, _, name = text.rpartition(":")
    path = os.path.join(folder, file)
    if why := unreadable(path):
        return why
    try:
        tree = ast.parse(pathlib.Path(path).read_bytes(), path)
    except (SyntaxError, ValueError) as e:
        return f"{path}:{getattr(e, 'lineno', None) or 1}: {getattr(e, 'msg', e)}"
    names = list(defined(tree))
    return "" if name in names or "*" in names else f"{path} defines no '{name}'{nearest(name, names)} it defines {', '.join(names) or 'nothing'}"


def defined(tree: ast.Module) -> Iterator[str]:
    """The names that a module gives to functions, classes, values and imports; * where it takes all of another one."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (a.asname or a.name for a in node.names)


def of_program(words: list[str], folder: str) -> str:
    path = os.path.join(folder, words[0]) if os.sep in words[0] else shutil.which(words[0])
    if path is None:
        return f"there is no program '{words[0]}' in PATH; one beside the file is './{words[0]}'"
    if why := unreadable(path):
        return why
    return "" if os.access(path, os.X_OK) else f"{path}: may not be executed"


def of_library(path: str) -> str:
    if why := unreadable(path):
        return why
    data = pathlib.Path(path).read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        return f"{path}: is no shared library of 64 bits"
    try:
        machine, here = struct.unpack_from("<H", data, 18)[0], MACHINES.get(platform.machine())
        if here is not None and machine != here:
            return f"{path}: is a library for another processor"
        version = version_in(data)
    except struct.error:
        return f"{path}: is no whole shared library"
    if version is None:
        return f"{path}: defines no {SYMBOL.decode()} (constella/user-stepper.h)"
    return "" if version == VERSION else f"{path}: its {SYMBOL.decode()} is of version {version}; {VERSION} is needed"


def version_in(data: bytes) -> int | None:
    """The first number of cst_user_stepper in an ELF library; None: it is not there."""
    (sections,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    table = [struct.unpack_from("<IIQQQQIIQQ", data, sections + k * size) for k in range(count)]
    for _, kind, _, _, at, length, link, _, _, entry in table:
        for k in range(length // entry if kind == DYNSYM and entry else 0):
            name, _, _, section, value, _ = struct.unpack_from("<IBBHQQ", data, at + k * entry)
            start = table[link][4] + name
            if 0 < section < count and data[start : start + len(SYMBOL) + 1] == SYMBOL + b"\0":
                version: int = struct.unpack_from("<i", data, table[section][4] + value - table[section][3])[0]
                return version
    return None
