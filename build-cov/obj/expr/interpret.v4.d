build-cov/obj/expr/interpret.v4.o: src/expr/interpret.c \
 include/constella/lanes.h src/expr/expr-internal.h \
 include/constella/expr.h
include/constella/lanes.h:
src/expr/expr-internal.h:
include/constella/expr.h:
