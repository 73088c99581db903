build-cov/tests/expr/derive-print: tests/expr/derive-print.c \
 include/constella/expr.h
include/constella/expr.h:
