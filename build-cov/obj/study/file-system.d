build-cov/obj/study/file-system.o: src/study/file-system.c \
 src/study/reader.h include/constella/document.h include/constella/diag.h \
 include/constella/study.h include/constella/method.h \
 include/constella/expr.h include/constella/system.h \
 include/constella/isa.h
src/study/reader.h:
include/constella/document.h:
include/constella/diag.h:
include/constella/study.h:
include/constella/method.h:
include/constella/expr.h:
include/constella/system.h:
include/constella/isa.h:
