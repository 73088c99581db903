build-cov/obj/observe/core/fold/rigid-body.v3.o: src/observe/core/fold.c \
 src/observe/observe.h src/system/group.h include/constella/lanes.h \
 include/constella/system.h include/constella/diag.h \
 include/constella/document.h include/constella/expr.h \
 include/constella/isa.h build-cov/gen/rigid-body.h \
 src/system/acceleration.h src/core/dense.h
src/observe/observe.h:
src/system/group.h:
include/constella/lanes.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
build-cov/gen/rigid-body.h:
src/system/acceleration.h:
src/core/dense.h:
