#!/bin/bash
# test-config.sh: `make config` finds libraries in folders like those of clusters, without pkg-config's own
# files, and names those that are missing.
# SPDX-License-Identifier: BSD-2-Clause
set -uo pipefail
sources=$(cd "$(dirname "$0")/../.." && pwd)
. "$sources/tests/record/tap.sh"
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL PETSC_DIR PETSC_ARCH HDF5_DIR FYAML_DIR SLEEF_DIR PKG_CONFIG_PATH
config() { make --no-print-directory -s -C "$sources" BUILD="$box/build" config "$@" 2>&1; }

# The folders of modules: links to what is here. PETSc brings a file for pkg-config, the others none.
petsc=$(pkg-config --variable=prefix PETSc 2>/dev/null)
hdf5=$(pkg-config --libs hdf5-openmpi 2>/dev/null | grep -o '/[^ ]*hdf5[^ ]*')
if [ ! -d "$petsc/include" ] || [ ! -r "$hdf5/libhdf5.so" ]; then echo '1..0 # SKIP PETSc or HDF5 lies elsewhere'; exit 0; fi
if ! mpicc -show 2>/dev/null | grep -q openmpi; then echo '1..0 # SKIP mpicc is not that of this HDF5'; exit 0; fi
mkdir -p "$box"/petsc/arch/lib/pkgconfig "$box"/{hdf5,fyaml,sleef}/lib "$box"/{fyaml,sleef}/include
ln -s "$petsc/include" "$box/petsc/arch/include"
ln -s "$petsc"/lib/libpetsc* "$box/petsc/arch/lib"
sed "s|^prefix=.*|prefix=$box/petsc/arch|" "$petsc/lib/pkgconfig/PETSc.pc" >"$box/petsc/arch/lib/pkgconfig/PETSc.pc"
ln -s "$(pkg-config --cflags hdf5-openmpi | grep -o '/[^ ]*hdf5[^ ]*')" "$box/hdf5/include"
ln -s "$hdf5"/libhdf5*.so "$box/hdf5/lib"
for name in fyaml sleef; do
  ln -s "$(echo "#include <${name/#fy/libfy}.h>" | gcc -E -x c - | sed -n "s|.*\"\(/.*${name}.h\)\".*|\1|p" | head -n 1)" "$box/$name/include"
  ln -s "$(gcc -print-file-name=lib$name.so)" "$box/$name/lib"
done

export PKG_CONFIG_LIBDIR=/nowhere
folders=(CC=mpicc PETSC_DIR="$box/petsc" PETSC_ARCH=arch HDF5_DIR="$box/hdf5" FYAML_DIR="$box/fyaml" SLEEF_DIR="$box/sleef")
found=$(config "${folders[@]}")
has "PETSc in PETSC_DIR and PETSC_ARCH" "$found" "PETSC: $box/petsc/arch/lib/pkgconfig/PETSc.pc"
has "HDF5 in HDF5_DIR" "$found" "HDF5: $box/hdf5"
has "libfyaml in FYAML_DIR" "$found" "FYAML: $box/fyaml"
has "SLEEF in SLEEF_DIR" "$found" "SLEEF: $box/sleef"
has "MPI in its own compiler" "$found" "MPI: mpicc"
lacks "nothing is missing" "$found" "not found"
has "what is in folders of its own is found at run time too" "$found" "-Wl,-rpath,$box/petsc/arch/lib"

cat >"$box/all.c" <<'EOF'
#include <dlfcn.h>
#include <hdf5_hl.h>
#include <libfyaml.h>
#include <petscsnes.h>
#include <sleef.h>
int main(int n, char **argument) {
  return H5open() < 0 || (n > 1 && !dlopen(argument[1], RTLD_LAZY)) || !fy_library_version() || Sleef_cinz_sind1_u10purec(0) != 0 || H5DSis_scale(-1) > 0;
}
EOF
petsc=$(sed -n 's/^PETSC: .*, loaded on demand: //p' <<<"$found")
has "the name of PETSc's file is known" "$petsc" libpetsc
read -ra flags <<<"$(sed -n 's/^flags: //p' <<<"$found")"
read -ra libraries <<<"$(sed -n 's/^libraries: //p' <<<"$found")"
is "all of it compiles, links and runs" "$(mpicc -Wno-cpp "${flags[@]}" "$box/all.c" -o "$box/all" "${libraries[@]}" 2>&1 && "$box/all" "$petsc" 2>&1; echo $?)" 0
has "from these folders" "$(LD_DEBUG=libs "$box/all" "$petsc" 2>&1)" "$box/petsc/arch/lib/$petsc"
lacks "and is not linked with PETSc" "$(ldd "$box/all")" petsc

has "a folder without PETSc is told, and not made up for" "$(config PETSC_DIR="$box" PETSC_ARCH=no)" \
  "not found: PETSc, 3.18 or later ($box/no/lib/pkgconfig of PETSC_DIR and PETSC_ARCH has no such PETSc.pc)"
sed -i 's/^Version:.*/Version: 3.17.5/' "$box/petsc/arch/lib/pkgconfig/PETSc.pc"
has "one that is too old too" "$(config "${folders[@]}")" "not found: PETSc, 3.18 or later"
has "the build stops with it" "$(make --no-print-directory -s -C "$sources" BUILD="$box/build" "${folders[@]}" 2>&1)" "constella: not found: PETSc, 3.18 or later"
has "a folder that is not there is told" "$(config HDF5_DIR=/nowhere)" "HDF5 (no folder /nowhere)"

# Nothing at all.
mkdir "$box/bin"
printf '#!/bin/sh\nexit 1\n' | tee "$box/bin/pkg-config" "$box/bin/cc" >/dev/null
chmod +x "$box"/bin/*
is "all that is missing is told at once" "$(PATH=$box/bin CC=cc "$(command -v bash)" "$sources/tools/libraries.sh" | grep -o -e MPI -e 'PETSc,' -e HDF5, -e libfyaml, -e sleef,)" \
  $'MPI\nPETSc,\nHDF5,\nlibfyaml,\nsleef,'
done_testing
