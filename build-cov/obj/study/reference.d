build-cov/obj/study/reference.o: src/study/reference.c src/study/run.h \
 /usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h \
 /usr/lib/x86_64-linux-gnu/openmpi/include/mpi_portable_platform.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsys.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscconf.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscconf_poison.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscfix.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmacros.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscversion.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsystypes.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmath.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscerror.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscviewertypes.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscoptions.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petsclog.h \
 /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petsctime.h \
 include/constella/record.h include/constella/statistics.h \
 include/constella/study.h include/constella/diag.h \
 include/constella/method.h include/constella/expr.h \
 include/constella/system.h include/constella/document.h \
 include/constella/isa.h src/method/stepper.h src/method/core.h \
 src/system/group.h include/constella/lanes.h src/observe/observe.h
src/study/run.h:
/usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h:
/usr/lib/x86_64-linux-gnu/openmpi/include/mpi_portable_platform.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsys.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscconf.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscconf_poison.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscfix.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmacros.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscversion.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscsystypes.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscmath.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscerror.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscviewertypes.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petscoptions.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petsclog.h:
/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/include/petsctime.h:
include/constella/record.h:
include/constella/statistics.h:
include/constella/study.h:
include/constella/diag.h:
include/constella/method.h:
include/constella/expr.h:
include/constella/system.h:
include/constella/document.h:
include/constella/isa.h:
src/method/stepper.h:
src/method/core.h:
src/system/group.h:
include/constella/lanes.h:
src/observe/observe.h:
