build-cov/obj/expr/emit.o: src/expr/emit.c src/expr/expr-internal.h \
 include/constella/expr.h
src/expr/expr-internal.h:
include/constella/expr.h:
