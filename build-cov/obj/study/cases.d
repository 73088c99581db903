build-cov/obj/study/cases.o: src/study/cases.c include/constella/study.h \
 include/constella/diag.h include/constella/method.h \
 include/constella/expr.h include/constella/system.h \
 include/constella/document.h include/constella/isa.h
include/constella/study.h:
include/constella/diag.h:
include/constella/method.h:
include/constella/expr.h:
include/constella/system.h:
include/constella/document.h:
include/constella/isa.h:
