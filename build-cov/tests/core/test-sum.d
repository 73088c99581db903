build-cov/tests/core/test-sum: tests/core/test-sum.c \
 include/constella/random.h include/constella/statistics.h tests/tap.h
include/constella/random.h:
include/constella/statistics.h:
tests/tap.h:
