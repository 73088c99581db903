build-cov/tests/system/test-catalogue: tests/system/test-catalogue.c \
 include/constella/system.h include/constella/diag.h \
 include/constella/document.h include/constella/expr.h \
 include/constella/isa.h tests/tap.h
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
tests/tap.h:
