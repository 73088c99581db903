build-cov/obj/study/member.o: src/study/member.c \
 include/constella/random.h include/constella/study.h \
 include/constella/diag.h include/constella/method.h \
 include/constella/expr.h include/constella/system.h \
 include/constella/document.h include/constella/isa.h
include/constella/random.h:
include/constella/study.h:
include/constella/diag.h:
include/constella/method.h:
include/constella/expr.h:
include/constella/system.h:
include/constella/document.h:
include/constella/isa.h:
