"""ranks.py: cells shared among the processes of mpirun: each measures one of a round, and all get all."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable
from typing import Any

from ..library import library

OURS = ("OMPI_", "PMIX_", "PRTE_", "PMI_", "HYDRA_", "MPI_")  # names of the environment that make a process one of a job


def ranks() -> tuple[int, int]:
    """This process's number, and how many there are."""
    rank = ctypes.c_int()
    size = library().cst_foreign_ranks(ctypes.byref(rank))
    return rank.value, size


def alone() -> dict[str, str]:
    """The environment for a child that is no process of the job."""
    return {k: v for k, v in os.environ.items() if not k.startswith(OURS)}


def shared(root: int, text: str | None) -> str:
    """The text of process `root`."""
    lib = library()
    data = text.encode() if text is not None else None
    length = ctypes.c_long(len(data) if data is not None else 0)
    at = lib.cst_foreign_share(root, data, ctypes.byref(length))
    copy = ctypes.string_at(at, length.value).decode()
    lib.cst_foreign_release(at)
    return copy


def each(tasks: list[Callable[[], Any]]) -> list[Any]:
    """What the tasks return, one by each process, as plain data; a task's exception ends all processes."""
    rank, size = ranks()
    assert len(tasks) <= size
    if size == 1:
        return [task() for task in tasks]
    mine = json.dumps(tasks[rank]()) if rank < len(tasks) else None
    return [json.loads(shared(root, mine if root == rank else None)) for root in range(len(tasks))]
