build-cov/obj/solve/solver.o: src/solve/solver.c src/solve/solver.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsnes.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscksp.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscpc.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmat.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscvec.h \
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
 src/solve/internal.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petsc/private/snesimpl.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petsc/private/petscimpl.h
src/solve/solver.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsnes.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscksp.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscpc.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmat.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscvec.h:
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
src/solve/internal.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petsc/private/snesimpl.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petsc/private/petscimpl.h:
