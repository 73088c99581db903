build-cov/tests/study/test-order-fit: tests/study/test-order-fit.c \
 include/constella/random.h include/constella/statistics.h tests/tap.h
include/constella/random.h:
include/constella/statistics.h:
tests/tap.h:
