build-cov/obj/study/run.o: src/study/run.c \
 /usr/include/hdf5/openmpi/hdf5.h /usr/include/hdf5/openmpi/H5public.h \
 /usr/include/hdf5/openmpi/H5pubconf.h \
 /usr/include/hdf5/openmpi/H5version.h \
 /usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h \
 /usr/lib/x86_64-linux-gnu/openmpi/include/mpi_portable_platform.h \
 /usr/include/hdf5/openmpi/H5api_adpt.h \
 /usr/include/hdf5/openmpi/H5Apublic.h \
 /usr/include/hdf5/openmpi/H5Ipublic.h \
 /usr/include/hdf5/openmpi/H5Opublic.h \
 /usr/include/hdf5/openmpi/H5Lpublic.h \
 /usr/include/hdf5/openmpi/H5Tpublic.h \
 /usr/include/hdf5/openmpi/H5ACpublic.h \
 /usr/include/hdf5/openmpi/H5Cpublic.h \
 /usr/include/hdf5/openmpi/H5Dpublic.h \
 /usr/include/hdf5/openmpi/H5Epublic.h \
 /usr/include/hdf5/openmpi/H5Epubgen.h \
 /usr/include/hdf5/openmpi/H5Fpublic.h \
 /usr/include/hdf5/openmpi/H5FDpublic.h \
 /usr/include/hdf5/openmpi/H5Gpublic.h \
 /usr/include/hdf5/openmpi/H5MMpublic.h \
 /usr/include/hdf5/openmpi/H5Ppublic.h \
 /usr/include/hdf5/openmpi/H5Spublic.h \
 /usr/include/hdf5/openmpi/H5Zpublic.h \
 /usr/include/hdf5/openmpi/H5PLpublic.h \
 /usr/include/hdf5/openmpi/H5Rpublic.h \
 /usr/include/hdf5/openmpi/H5FDcore.h \
 /usr/include/hdf5/openmpi/H5FDdirect.h \
 /usr/include/hdf5/openmpi/H5FDfamily.h \
 /usr/include/hdf5/openmpi/H5FDhdfs.h /usr/include/hdf5/openmpi/H5FDlog.h \
 /usr/include/hdf5/openmpi/H5FDmirror.h \
 /usr/include/hdf5/openmpi/H5FDmpi.h /usr/include/hdf5/openmpi/H5FDmpio.h \
 /usr/include/hdf5/openmpi/H5FDmulti.h \
 /usr/include/hdf5/openmpi/H5FDros3.h \
 /usr/include/hdf5/openmpi/H5FDsec2.h \
 /usr/include/hdf5/openmpi/H5FDsplitter.h \
 /usr/include/hdf5/openmpi/H5FDstdio.h src/study/run.h \
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
/usr/include/hdf5/openmpi/hdf5.h:
/usr/include/hdf5/openmpi/H5public.h:
/usr/include/hdf5/openmpi/H5pubconf.h:
/usr/include/hdf5/openmpi/H5version.h:
/usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h:
/usr/lib/x86_64-linux-gnu/openmpi/include/mpi_portable_platform.h:
/usr/include/hdf5/openmpi/H5api_adpt.h:
/usr/include/hdf5/openmpi/H5Apublic.h:
/usr/include/hdf5/openmpi/H5Ipublic.h:
/usr/include/hdf5/openmpi/H5Opublic.h:
/usr/include/hdf5/openmpi/H5Lpublic.h:
/usr/include/hdf5/openmpi/H5Tpublic.h:
/usr/include/hdf5/openmpi/H5ACpublic.h:
/usr/include/hdf5/openmpi/H5Cpublic.h:
/usr/include/hdf5/openmpi/H5Dpublic.h:
/usr/include/hdf5/openmpi/H5Epublic.h:
/usr/include/hdf5/openmpi/H5Epubgen.h:
/usr/include/hdf5/openmpi/H5Fpublic.h:
/usr/include/hdf5/openmpi/H5FDpublic.h:
/usr/include/hdf5/openmpi/H5Gpublic.h:
/usr/include/hdf5/openmpi/H5MMpublic.h:
/usr/include/hdf5/openmpi/H5Ppublic.h:
/usr/include/hdf5/openmpi/H5Spublic.h:
/usr/include/hdf5/openmpi/H5Zpublic.h:
/usr/include/hdf5/openmpi/H5PLpublic.h:
/usr/include/hdf5/openmpi/H5Rpublic.h:
/usr/include/hdf5/openmpi/H5FDcore.h:
/usr/include/hdf5/openmpi/H5FDdirect.h:
/usr/include/hdf5/openmpi/H5FDfamily.h:
/usr/include/hdf5/openmpi/H5FDhdfs.h:
/usr/include/hdf5/openmpi/H5FDlog.h:
/usr/include/hdf5/openmpi/H5FDmirror.h:
/usr/include/hdf5/openmpi/H5FDmpi.h:
/usr/include/hdf5/openmpi/H5FDmpio.h:
/usr/include/hdf5/openmpi/H5FDmulti.h:
/usr/include/hdf5/openmpi/H5FDros3.h:
/usr/include/hdf5/openmpi/H5FDsec2.h:
/usr/include/hdf5/openmpi/H5FDsplitter.h:
/usr/include/hdf5/openmpi/H5FDstdio.h:
src/study/run.h:
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
