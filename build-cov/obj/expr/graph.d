build-cov/obj/expr/graph.o: src/expr/graph.c src/expr/expr-internal.h \
 include/constella/expr.h
src/expr/expr-internal.h:
include/constella/expr.h:
