build-cov/tests/expr/test-graph: tests/expr/test-graph.c \
 tests/expr/expressions.h include/constella/expr.h tests/tap.h
tests/expr/expressions.h:
include/constella/expr.h:
tests/tap.h:
