build-cov/obj/system/kernels/henon-heiles.v2.o: src/system/kernels.c \
 include/constella/lanes.h include/constella/system.h \
 include/constella/diag.h include/constella/document.h \
 include/constella/expr.h include/constella/isa.h \
 build-cov/gen/henon-heiles.h
include/constella/lanes.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
build-cov/gen/henon-heiles.h:
