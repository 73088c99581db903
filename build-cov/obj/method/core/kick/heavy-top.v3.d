build-cov/obj/method/core/kick/heavy-top.v3.o: src/method/core/kick.c \
 src/system/group.h include/constella/lanes.h include/constella/system.h \
 include/constella/diag.h include/constella/document.h \
 include/constella/expr.h include/constella/isa.h \
 build-cov/gen/heavy-top.h src/core/dense.h src/method/core/march.h \
 src/method/core.h
src/system/group.h:
include/constella/lanes.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
build-cov/gen/heavy-top.h:
src/core/dense.h:
src/method/core/march.h:
src/method/core.h:
