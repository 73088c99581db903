build-cov/tests/system/test-read: tests/system/test-read.c \
 include/constella/system.h include/constella/diag.h \
 include/constella/document.h include/constella/expr.h \
 include/constella/isa.h tests/tap.h
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
tests/tap.h:
