build-cov/tests/core/test-random: tests/core/test-random.c \
 include/constella/random.h tests/tap.h
include/constella/random.h:
tests/tap.h:
