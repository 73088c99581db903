build-cov/tests/study/test-file: tests/study/test-file.c \
 include/constella/study.h include/constella/diag.h \
 include/constella/method.h include/constella/expr.h \
 include/constella/system.h include/constella/document.h \
 include/constella/isa.h tests/tap.h tests/study/test-file-mistakes.h
include/constella/study.h:
include/constella/diag.h:
include/constella/method.h:
include/constella/expr.h:
include/constella/system.h:
include/constella/document.h:
include/constella/isa.h:
tests/tap.h:
tests/study/test-file-mistakes.h:
