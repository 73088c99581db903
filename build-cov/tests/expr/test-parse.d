build-cov/tests/expr/test-parse: tests/expr/test-parse.c \
 tests/expr/expressions.h include/constella/expr.h tests/tap.h
tests/expr/expressions.h:
include/constella/expr.h:
tests/tap.h:
