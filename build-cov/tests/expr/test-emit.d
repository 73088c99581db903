build-cov/tests/expr/test-emit: tests/expr/test-emit.c \
 tests/expr/expressions.h include/constella/expr.h tests/tap.h
tests/expr/expressions.h:
include/constella/expr.h:
tests/tap.h:
