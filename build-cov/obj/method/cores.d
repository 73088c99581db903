build-cov/obj/method/cores.o: src/method/cores.c src/method/cores.h \
 src/method/core.h src/system/group.h include/constella/lanes.h \
 include/constella/system.h include/constella/diag.h \
 include/constella/document.h include/constella/expr.h \
 include/constella/isa.h src/method/method.h include/constella/method.h \
 src/tableau/tableau.h build-cov/gen/cores.list.h
src/method/cores.h:
src/method/core.h:
src/system/group.h:
include/constella/lanes.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
src/method/method.h:
include/constella/method.h:
src/tableau/tableau.h:
build-cov/gen/cores.list.h:
