#!/usr/bin/env bash
# libraries.sh: where MPI, PETSc, HDF5, libfyaml and SLEEF are, as assignments of make: NAME_FROM in words,
# NAME_CFLAGS, NAME_LIBS, PETSC_SONAME, and MISSING, what was not found. A library is looked for in the folder that
# PETSC_DIR (with PETSC_ARCH), HDF5_DIR, FYAML_DIR or SLEEF_DIR names, and nowhere else where that is set;
# then with pkg-config; then by asking the compiler CC or a wrapper. docs/building.md tells how to use it.
# Called by make.
# SPDX-License-Identifier: BSD-2-Clause
set -uo pipefail
read -ra cc <<<"${CC:-gcc}"
missing=

take() {   # NAME FROM FLAGS...: says where NAME is; of the flags those that compile, then those that link. Others are the choice of a distribution
  local name=$1 from=$2 flag compile=() link=()
  shift 2
  for flag; do
    case $flag in
      -D_FORTIFY_SOURCE=*) ;;   # needs optimisation everywhere, and slows lane code
      -I* | -D*) compile+=("$flag") ;;
      -L* | -l* | -Wl,* | -pthread) link+=("$flag") ;;
      *.a) if [[ -e ${flag%.a}.so ]]; then link+=("${flag%.a}.so"); else link+=("$flag"); fi ;;   # what PETSc was linked with
    esac
  done
  [[ $name != PETSC ]] || petsc=("${link[@]}")
  printf '%s := %s\n' "${name}_FROM" "$from" "${name}_CFLAGS" "${compile[*]}" "${name}_LIBS" "${link[*]}"
  taken=("${compile[@]}")
}

in_folder() {   # NAME FOLDER LIBRARIES...
  local folder=$2 libs=() lib
  [[ -d $folder ]] || return
  for lib in "$folder"/lib "$folder"/lib64; do [[ ! -d $lib ]] || libs+=("-L$lib"); done
  take "$1" "$folder" "-I$folder/include" "${libs[@]}" "${@:3}"
}

by_package() {   # NAME VERSION LIBRARY PACKAGE...: the first of the packages, or files of packages, that pkg-config knows, not older than VERSION
  local name=$1 version=$2 library=$3 package flags
  for package in "${@:4}"; do
    pkg-config --exists "$package" --atleast-version="$version" 2>/dev/null || continue
    read -ra flags <<<"$(pkg-config --cflags --libs "$package")"
    take "$name" "$package $(pkg-config --modversion "$package")" "$library" "${flags[@]}"
    return
  done
  return 1
}

by_wrapper() {   # NAME COMMAND: a compiler of that library's own
  local flags
  read -ra flags <<<"$("$2" -show 2>/dev/null)"
  [[ ${flags[*]} ]] && take "$1" "$2" "${flags[@]}"
}

by_compiler() {   # NAME HEADER LIBRARIES...: where CC looks anyway
  "${cc[@]}" -E -x c - <<<"#include <$2>" >/dev/null 2>&1 && take "$1" "the folders of ${cc[0]}" "${@:3}"
}

absent() { missing+="${missing:+; }$1"; }

# What PETSc is linked with, where it was found.
petsc=()
# A compiler that finds mpi.h by itself is an MPI wrapper. Its folders are kept, since programs that use the
# installed library may be compiled by another compiler.
taken=()
if "${cc[@]}" -E -x c - <<<'#include <mpi.h>' >/dev/null 2>&1; then
  by_wrapper MPI "${cc[0]}" || take MPI "the folders of ${cc[0]}"
else
  by_package MPI 0 '' ompi-c mpich || by_wrapper MPI mpicc || absent 'MPI (CC=mpicc, or mpicc on PATH)'
fi

# A machine may have HDF5 for several MPI libraries; mpi.h tells which of them this one is.
macros=$("${cc[@]}" "${taken[@]}" -E -dM -x c - <<<'#include <mpi.h>' 2>/dev/null)
hdf5=(hdf5-openmpi hdf5-mpich hdf5)
[[ $macros != *"#define OPEN_MPI "* ]] || hdf5=(hdf5-openmpi hdf5)
[[ $macros != *"#define MPICH_VERSION "* ]] || hdf5=(hdf5-mpich hdf5)

if [[ ${PETSC_DIR:-} ]]; then
  where=$PETSC_DIR${PETSC_ARCH:+/$PETSC_ARCH}/lib/pkgconfig
  by_package PETSC 3.18 '' "$where/PETSc.pc" "$where/petsc.pc" || absent "PETSc, 3.18 or later ($where of PETSC_DIR and PETSC_ARCH has no such PETSc.pc)"
else
  by_package PETSC 3.18 '' PETSc petsc || absent 'PETSc, 3.18 or later (PETSC_DIR and PETSC_ARCH, or pkg-config PETSc)'
fi

# Under which name a shared PETSc is loaded; nothing where it is an archive.
soname() {   # FLAGS...
  local probe
  [[ $* ]] && probe=$(mktemp) || return
  "${cc[@]}" -shared -Wl,--no-as-needed -o "$probe" -x c /dev/null -x none "$@" 2>/dev/null &&
    readelf -d "$probe" 2>/dev/null | sed -n 's/.*NEEDED.*\[\(libpetsc[^]]*\)\].*/\1/p' | head -n 1
  rm -f "$probe"
}
echo "PETSC_SONAME := $(soname ${petsc[@]+"${petsc[@]}"})"

# The high-level library rarely has its own package; it is in the folder of the other.
if [[ ${HDF5_DIR:-} ]]; then
  in_folder HDF5 "$HDF5_DIR" -lhdf5_hl -lhdf5 || absent "HDF5 (no folder $HDF5_DIR)"
else
  by_package HDF5 1.10.7 -lhdf5_hl "${hdf5[@]}" || by_wrapper HDF5 h5pcc ||
    absent 'parallel HDF5, 1.10.7 or later (HDF5_DIR, h5pcc on PATH, or pkg-config hdf5)'
fi

small() {   # NAME FOLDER VERSION PACKAGE HEADER LIBRARY
  if [[ $2 ]]; then in_folder "$1" "$2" "$6" || absent "$4 (no folder $2)"; return; fi
  by_package "$1" "$3" '' "$4" || by_compiler "$1" "$5" "$6" || absent "$4, $3 or later ($1_DIR, or pkg-config $4)"
}
small FYAML "${FYAML_DIR:-}" 0.7.12 libfyaml libfyaml.h -lfyaml
small SLEEF "${SLEEF_DIR:-}" 3.5 sleef sleef.h -lsleef
echo "MISSING := $missing"
