build-cov/tests/method/test-claims-momentum: \
 tests/method/test-claims-momentum.c tests/method/claims.h \
 src/method/stepper.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsys.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscconf.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscconf_poison.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscfix.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmacros.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscversion.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsystypes.h \
 /usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h \
 /usr/lib/x86_64-linux-gnu/openmpi/include/mpi_portable_platform.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmath.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscerror.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscviewertypes.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscoptions.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petsclog.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petsctime.h \
 include/constella/method.h include/constella/expr.h \
 include/constella/system.h include/constella/diag.h \
 include/constella/document.h include/constella/isa.h src/method/core.h \
 src/system/group.h include/constella/lanes.h src/solve/solver.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsnes.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscksp.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscpc.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmat.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscvec.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsftypes.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscis.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsectiontypes.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscistypes.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscdevicetypes.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscviewer.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscdrawtypes.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmatcoarsen.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscdmtypes.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscpctypes.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscfvtypes.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscdmdatypes.h \
 tests/tap.h
tests/method/claims.h:
src/method/stepper.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsys.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscconf.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscconf_poison.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscfix.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmacros.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscversion.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsystypes.h:
/usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h:
/usr/lib/x86_64-linux-gnu/openmpi/include/mpi_portable_platform.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmath.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscerror.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscviewertypes.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscoptions.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petsclog.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petsctime.h:
include/constella/method.h:
include/constella/expr.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/isa.h:
src/method/core.h:
src/system/group.h:
include/constella/lanes.h:
src/solve/solver.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsnes.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscksp.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscpc.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmat.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscvec.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsftypes.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscis.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsectiontypes.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscistypes.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscdevicetypes.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscviewer.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscdrawtypes.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmatcoarsen.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscdmtypes.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscpctypes.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscfvtypes.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscdmdatypes.h:
tests/tap.h:
