build-cov/obj/observe/folds.o: src/observe/folds.c src/observe/observe.h \
 src/system/group.h include/constella/lanes.h include/constella/system.h \
 include/constella/diag.h include/constella/document.h \
 include/constella/expr.h include/constella/isa.h \
 build-cov/gen/folds.list.h
src/observe/observe.h:
src/system/group.h:
include/constella/lanes.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
build-cov/gen/folds.list.h:
