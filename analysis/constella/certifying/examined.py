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
MACHINES = {"x86_64": 62, "aarch64": 183, "ppc64le": 21, "riscv64": 243}  # the numbers of ELF
DYNSYM, NOBITS = 11, 8  # types of sections: the symbols of a library; what is filled when it is loaded
OBJECT = 1  # the type of a symbol of data
UNKNOWN = -1  # a version that is known only when the library is loaded


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
    names = list(dict.fromkeys(defined(tree)))
    return "" if name in names or "*" in names else f"{path} defines no '{name}'{nearest(name, names)} it defines {', '.join(names) or 'nothing'}"


def defined(node: ast.AST) -> Iterator[str]:
    """The names that a module gives to functions, classes, values and imports; * where others come that are not seen here: all of
    another module, what globals() is given, or what __getattr__ makes."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):  # names in it are its own
            yield "*" if part.name == "__getattr__" else part.name
            continue
        if isinstance(part, ast.Name) and (isinstance(part.ctx, ast.Store) or part.id in ("globals", "exec", "vars")):
            yield part.id if isinstance(part.ctx, ast.Store) else "*"
        elif isinstance(part, (ast.Import, ast.ImportFrom)):
            yield from (a.asname or a.name for a in part.names)
        elif type(part).__name__ in ("MatchAs", "MatchStar"):  # of Python 3.10
            yield getattr(part, "name", None) or "_"
        yield from defined(part)


def of_program(words: list[str], folder: str) -> str:
    path = os.path.join(folder, words[0]) if os.sep in words[0] else shutil.which(words[0])
    if path is None:
        return f"there is no program '{words[0]}' in PATH; one beside the file is './{words[0]}'"
    if not os.path.isfile(path):
        return unreadable(path)
    if not os.access(path, os.X_OK):
        return f"{path}: may not be executed"
    return of_interpreter(path)


def of_interpreter(path: str) -> str:
    """Of a script the program that runs it."""
    try:
        with open(path, "rb") as file:
            first = file.readline(256).decode(errors="replace")
    except OSError:  # it may be executed all the same
        return ""
    words = first[2:].split() if first.startswith("#!") else []
    if words and not os.path.isfile(words[0]):
        return f"{path}: its interpreter {words[0]} is not there"
    if len(words) == 2 and os.path.basename(words[0]) == "env" and not shutil.which(words[1]):
        return f"{path}: its interpreter {words[1]} is not in PATH"
    return ""


def of_library(path: str) -> str:
    if why := unreadable(path):
        return why
    machine = MACHINES.get(platform.machine())
    if machine is None:  # of other sizes or order of bytes
        return ""
    data = pathlib.Path(path).read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        return f"{path}: is no shared library of 64 bits"
    try:
        if struct.unpack_from("<H", data, 18)[0] != machine:
            return f"{path}: is a library for another processor"
        version = version_in(data)
    except struct.error:
        return f"{path}: is no whole shared library"
    if version is None:
        return f"{path}: defines no table {SYMBOL.decode()} (constella/user-stepper.h)"
    return "" if version in (VERSION, UNKNOWN) else f"{path}: its {SYMBOL.decode()} is of version {version}; {VERSION} is needed"


def version_in(data: bytes) -> int | None:
    """The first number of the table cst_user_stepper in an ELF library; None: it is not there."""
    (sections,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    if not count:
        return UNKNOWN
    table = [struct.unpack_from("<IIQQQQIIQQ", data, sections + k * size) for k in range(count)]
    for _, kind, _, _, at, length, link, _, _, entry in table:
        for k in range(length // entry if kind == DYNSYM and entry else 0):
            name, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", data, at + k * entry)
            start = table[link][4] + name
            if 0 < section < count and info & 15 == OBJECT and data[start : start + len(SYMBOL) + 1] == SYMBOL + b"\0":
                if table[section][1] == NOBITS:
                    return UNKNOWN
                version: int = struct.unpack_from("<i", data, table[section][4] + value - table[section][3])[0]
                return version
    return None
