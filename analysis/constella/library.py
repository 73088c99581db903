"""library.py: libconstella by ctypes: where it is, and the functions that integrator.py calls."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import os
import pathlib
import shutil
from collections.abc import Iterator
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_long, c_uint, c_uint64, c_void_p

from .reading import ConstellaError

HERE = pathlib.Path(__file__).resolve().parent
SONAME = "libconstella.so.0"
WHY = 4000  # bytes of a message
# A process that no launcher has started is alone. Open MPI would start a server beside it, for processes that it may
# spawn, and load what others are reached with (src/cli/launch.c); variables that are set keep their values.
LAUNCHED = ("OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE", "SLURM_STEP_ID")
ALONE = {
    "OMPI_MCA_ess_singleton_isolated": "1",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "self",
    "OMPI_MCA_coll": "^adapt,han,inter,monitoring,sm,sync,tuned",
    "OMPI_MCA_osc": "^monitoring,pt2pt,rdma,ucx",
    "OMPI_MCA_memory": "^patcher",
    "HWLOC_COMPONENTS": "no_os,stop",
    "HWLOC_PLUGINS_PATH": "/dev/null",
}


class Options(ctypes.Structure):
    """cst_integrator_options of constella/integrator.h."""

    _fields_ = [
        ("system", c_void_p),
        ("method", c_char_p),
        ("layers", c_void_p),
        ("step", c_double),
        ("trajectories", c_long),
        ("tolerance", c_double),
        ("max_iterations", c_int),
        ("compensated", c_bool),
        ("compile", c_bool),
        ("seed", c_uint64),
    ]


class Properties(ctypes.Structure):
    """cst_properties of constella/method.h."""

    _fields_ = [
        ("order_q", c_int),
        ("order_p", c_int),
        ("order_lambda", c_int),
        ("claims", c_uint),
        ("lambda_time", c_double),
        ("own_lambda", c_bool),
        ("first_impulse", c_double),
        ("tangential", c_bool),
        ("order_measure", c_int),
        ("mean", c_double),
    ]


class Conditions(ctypes.Structure):
    """cst_conditions of constella/method.h."""

    _fields_ = [("orders", c_int), ("roundoff", c_double), ("defect", c_double * 13)]


class MethodInfo(ctypes.Structure):
    """cst_method_info of constella/method.h."""

    _fields_ = [(name, c_char_p) for name in ("name", "doc", "equations", "source", "notes", "signature", "example")]


class OrderFit(ctypes.Structure):
    """cst_order_fit of constella/statistics.h."""

    _fields_ = [("order", c_double), ("low", c_double), ("high", c_double), ("flag", c_int), ("first", c_int), ("last", c_int)]


class LongRun(ctypes.Structure):
    """cst_long_run of constella/statistics.h."""

    _fields_ = [
        ("members", c_long),
        ("steps", c_long),
        ("end", c_double),
        *[(name, POINTER(c_double)) for name in ("means", "largest", "scale", "start", "last", "moved", "away", "range", "terms", "stepped", "evaluated")],
    ]


class Growth(ctypes.Structure):
    """cst_growth of constella/statistics.h."""

    _fields_ = [
        *[(name, c_int) for name in ("verdict", "why", "law", "by_round_off")],
        *[(name, c_double) for name in ("drift", "exponent", "low", "high", "slope", "slope_error", "slope_rms", "limit", "change", "at", "end_change")],
    ]


class ExpressionError(ctypes.Structure):
    """cst_expr_error of constella/expr.h."""

    _fields_ = [("offset", c_int), ("message", ctypes.c_char * 240)]


Doubles = POINTER(c_double)
FUNCTIONS = {  # name: result, arguments
    "cst_foreign_system": (c_void_p, c_char_p, c_char_p, c_long, c_char_p, c_int),
    "cst_foreign_count": (c_int, c_void_p, c_int),
    "cst_foreign_name": (c_char_p, c_void_p, c_int, c_int),
    "cst_foreign_parameters": (c_int, c_void_p),
    "cst_foreign_velocity_constraints": (c_int, c_void_p),
    "cst_foreign_energies": (None, c_void_p, c_long, *[Doubles] * 5),
    "cst_foreign_momentum_maps": (None, c_void_p, c_long, *[Doubles] * 4),
    "cst_foreign_round_off": (None, c_void_p, c_long, *[Doubles] * 3, c_double, c_long, Doubles),
    "cst_foreign_acceleration_rounding": (None, c_void_p, *[Doubles] * 4),
    "cst_foreign_acceleration": (None, c_void_p, *[Doubles] * 4),
    "cst_foreign_layers": (c_void_p, c_char_p, c_char_p, c_long, c_char_p, c_int),
    "cst_foreign_stepped": (c_void_p, c_void_p, Doubles),
    "cst_foreign_compiled": (c_double, c_void_p, c_void_p, c_char_p, c_int),
    "cst_foreign_forget": (None, c_void_p),
    "cst_foreign_ranks": (c_int, POINTER(c_int)),
    "cst_foreign_share": (c_void_p, c_int, c_char_p, POINTER(c_long)),
    "cst_foreign_release": (None, c_void_p),
    "cst_layers_destroy": (None, c_void_p),
    "cst_system_destroy": (None, c_void_p),
    "cst_system_defaults": (None, c_void_p, POINTER(c_bool), Doubles),
    "cst_system_state": (None, c_void_p, c_int, Doubles, Doubles, Doubles),
    "cst_system_project": (c_bool, c_void_p, Doubles, Doubles, Doubles),
    "cst_system_residuals": (None, c_void_p, *[Doubles] * 7),
    "cst_system_momentum": (None, c_void_p, Doubles, Doubles, Doubles, Doubles),
    "cst_system_velocity": (c_bool, c_void_p, Doubles, Doubles, Doubles, Doubles),
    "cst_method_count": (c_int,),
    "cst_method_info_at": (POINTER(MethodInfo), c_int),
    "cst_method_parse": (c_void_p, c_char_p, c_void_p, POINTER(ExpressionError)),
    "cst_method_destroy": (None, c_void_p),
    "cst_method_has_noise": (c_bool, c_void_p),
    "cst_method_label": (c_char_p, c_void_p),
    "cst_method_fits": (c_bool, c_void_p, c_void_p, c_char_p, c_int),
    "cst_method_properties": (Properties, c_void_p, c_void_p),
    "cst_method_conditions": (Conditions, c_void_p, c_void_p),
    "cst_order_estimate": (OrderFit, Doubles, Doubles, Doubles, c_int),
    "cst_work_at": (c_double, Doubles, Doubles, c_int, c_double),
    "cst_growth_estimate": (Growth, POINTER(LongRun)),
    "cst_integrator_begin": (c_int, c_char_p, c_int),
    "cst_integrator_end": (None,),
    "cst_integrator_create": (c_int, POINTER(Options), POINTER(c_void_p)),
    "cst_integrator_destroy": (None, c_void_p),
    "cst_integrator_message": (c_char_p, c_void_p),
    "cst_integrator_reason": (c_char_p, c_int),
    "cst_integrator_set_step": (c_int, c_void_p, c_double),
    "cst_integrator_start": (c_int, c_void_p, c_long, Doubles, Doubles, Doubles),
    "cst_integrator_start_momenta": (c_int, c_void_p, c_long, Doubles, Doubles, Doubles),
    "cst_integrator_advance": (c_int, c_void_p, c_long),
    "cst_integrator_count": (c_long, c_void_p),
    "cst_integrator_steps": (c_long, c_void_p),
    "cst_integrator_time": (c_double, c_void_p),
    "cst_integrator_status": (c_long, c_void_p, POINTER(c_int), POINTER(c_long)),
    **{
        f"cst_integrator_{what}": (None, c_void_p, Doubles)
        for what in ("positions", "momenta", "velocities", "multipliers", "iterations", "energy", "momentum_maps")
    },
    "cst_integrator_add_observable": (c_int, c_void_p, c_char_p, POINTER(c_int)),
    "cst_integrator_observe": (None, c_void_p, c_int, Doubles),
}


def path() -> str:
    """The shared library: CONSTELLA_LIBRARY of the environment, the one beside the program that CONSTELLA names, that of
    this build or installation, or the one that the dynamic linker knows."""
    named = os.environ.get("CONSTELLA_LIBRARY")
    if named:
        return named
    folders = [HERE.parents[1] / "build", *(p / "lib" for p in HERE.parents[3:4])]
    program = shutil.which(os.environ.get("CONSTELLA", ""))  # never below the current folder, for a name without one
    if program:
        beside = pathlib.Path(program).parent
        folders = [beside, beside.parent / "lib", *folders]
    for folder in folders:
        found = sorted(folder.glob("libconstella.so*")) or sorted(folder.glob("*/libconstella.so*"))
        if found:
            return str(found[-1])
    return SONAME


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """The environment in which a process alone initialises MPI; what it starts later has its own again."""
    added = {} if any(x in os.environ for x in LAUNCHED) else {k: v for k, v in ALONE.items() if k not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


@functools.cache
def loaded() -> ctypes.CDLL:
    """The library, for functions that need neither MPI nor PETSc."""
    try:
        # Open MPI's components look for its symbols among the global ones
        lib = ctypes.CDLL(path(), mode=ctypes.RTLD_GLOBAL)
    except OSError as e:
        raise ConstellaError(f"the library libconstella cannot be loaded ({e}); set CONSTELLA_LIBRARY to its path") from None
    for name, (result, *arguments) in FUNCTIONS.items():
        function = getattr(lib, name, None)
        if function is None:
            raise ConstellaError(f"{path()} has no {name}: it belongs to another release than this package")
        function.restype, function.argtypes = result, arguments
    return lib


@functools.cache
def library() -> ctypes.CDLL:
    """The library, with MPI and PETSc initialised for this process; they end with it."""
    lib = loaded()
    why = ctypes.create_string_buffer(WHY)
    with alone():
        failed = lib.cst_integrator_begin(why, WHY)
    if failed:
        raise ConstellaError(f"MPI and PETSc cannot start: {why.value.decode(errors='replace')}")
    atexit.register(lib.cst_integrator_end)
    return lib
