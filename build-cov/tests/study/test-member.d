build-cov/tests/study/test-member: tests/study/test-member.c \
 include/constella/study.h include/constella/diag.h \
 include/constella/method.h include/constella/expr.h \
 include/constella/system.h include/constella/document.h \
 include/constella/isa.h tests/tap.h
include/constella/study.h:
include/constella/diag.h:
include/constella/method.h:
include/constella/expr.h:
include/constella/system.h:
include/constella/document.h:
include/constella/isa.h:
tests/tap.h:
