build-cov/obj/study/file.o: src/study/file.c include/constella/random.h \
 src/study/reader.h include/constella/document.h include/constella/diag.h \
 include/constella/study.h include/constella/method.h \
 include/constella/expr.h include/constella/system.h \
 include/constella/isa.h
include/constella/random.h:
src/study/reader.h:
include/constella/document.h:
include/constella/diag.h:
include/constella/study.h:
include/constella/method.h:
include/constella/expr.h:
include/constella/system.h:
include/constella/isa.h:
