build-cov/tests/study/test-growth: tests/study/test-growth.c \
 include/constella/random.h include/constella/statistics.h tests/tap.h
include/constella/random.h:
include/constella/statistics.h:
tests/tap.h:
