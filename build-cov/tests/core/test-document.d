build-cov/tests/core/test-document: tests/core/test-document.c \
 include/constella/document.h include/constella/diag.h \
 include/constella/isa.h tests/tap.h
include/constella/document.h:
include/constella/diag.h:
include/constella/isa.h:
tests/tap.h:
