build-cov/obj/expr/derive.o: src/expr/derive.c src/expr/expr-internal.h \
 include/constella/expr.h
src/expr/expr-internal.h:
include/constella/expr.h:
