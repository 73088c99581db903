build-cov/tests/tableau/test-tableau: tests/tableau/test-tableau.c \
 include/constella/method.h include/constella/expr.h \
 include/constella/system.h include/constella/diag.h \
 include/constella/document.h include/constella/isa.h \
 src/tableau/tableau.h tests/tap.h
include/constella/method.h:
include/constella/expr.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/isa.h:
src/tableau/tableau.h:
tests/tap.h:
