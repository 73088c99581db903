build-cov/obj/expr/tape.o: src/expr/tape.c src/expr/expr-internal.h \
 include/constella/expr.h
src/expr/expr-internal.h:
include/constella/expr.h:
