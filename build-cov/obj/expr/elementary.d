build-cov/obj/expr/elementary.o: src/expr/elementary.c \
 src/expr/expr-internal.h include/constella/expr.h
src/expr/expr-internal.h:
include/constella/expr.h:
