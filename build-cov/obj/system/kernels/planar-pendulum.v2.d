build-cov/obj/system/kernels/planar-pendulum.v2.o: src/system/kernels.c \
 include/constella/lanes.h include/constella/system.h \
 include/constella/diag.h include/constella/document.h \
 include/constella/expr.h include/constella/isa.h \
 build-cov/gen/planar-pendulum.h
include/constella/lanes.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
build-cov/gen/planar-pendulum.h:
