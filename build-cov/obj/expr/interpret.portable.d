build-cov/obj/expr/interpret.portable.o: src/expr/interpret.c \
 include/constella/lanes.h src/expr/expr-internal.h \
 include/constella/expr.h
include/constella/lanes.h:
src/expr/expr-internal.h:
include/constella/expr.h:
