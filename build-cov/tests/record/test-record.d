build-cov/tests/record/test-record: tests/record/test-record.c \
 tests/tap.h /usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h \
 /usr/lib/x86_64-linux-gnu/openmpi/include/mpi_portable_platform.h \
 tests/record/demo.h include/constella/record.h
tests/tap.h:
/usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h:
/usr/lib/x86_64-linux-gnu/openmpi/include/mpi_portable_platform.h:
tests/record/demo.h:
include/constella/record.h:
