build-cov/obj/study/number.o: src/study/number.c src/study/reader.h \
 include/constella/document.h include/constella/diag.h \
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
