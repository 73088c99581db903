build-cov/obj/method/core/rk.v4.o: src/method/core/rk.c \
 src/system/acceleration.h src/system/group.h include/constella/lanes.h \
 include/constella/system.h include/constella/diag.h \
 include/constella/document.h include/constella/expr.h \
 include/constella/isa.h src/core/dense.h src/tableau/tableau.h \
 src/method/core/march.h src/method/core.h
src/system/acceleration.h:
src/system/group.h:
include/constella/lanes.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
src/core/dense.h:
src/tableau/tableau.h:
src/method/core/march.h:
src/method/core.h:
