build-cov/tests/expr/test-hostile: tests/expr/test-hostile.c \
 tests/expr/expressions.h include/constella/expr.h tests/tap.h
tests/expr/expressions.h:
include/constella/expr.h:
tests/tap.h:
