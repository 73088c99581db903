build-cov/obj/expr/parse.o: src/expr/parse.c include/constella/diag.h \
 src/expr/expr-internal.h include/constella/expr.h
include/constella/diag.h:
src/expr/expr-internal.h:
include/constella/expr.h:
