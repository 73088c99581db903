build-cov/obj/system/planar-pendulum.o: src/system/planar-pendulum.c \
 src/system/internal.h include/constella/system.h \
 include/constella/diag.h include/constella/document.h \
 include/constella/expr.h include/constella/isa.h
src/system/internal.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
