build-cov/tests/expr/test-backends: tests/expr/test-backends.c \
 tests/expr/expressions.h include/constella/expr.h tests/tap.h
tests/expr/expressions.h:
include/constella/expr.h:
tests/tap.h:
