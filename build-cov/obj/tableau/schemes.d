build-cov/obj/tableau/schemes.o: src/tableau/schemes.c \
 include/constella/method.h include/constella/expr.h \
 include/constella/system.h include/constella/diag.h \
 include/constella/document.h include/constella/isa.h
include/constella/method.h:
include/constella/expr.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/isa.h:
