build-cov/obj/method/expression.o: src/method/expression.c \
 include/constella/diag.h src/method/method.h include/constella/method.h \
 include/constella/expr.h include/constella/system.h \
 include/constella/document.h include/constella/isa.h \
 src/tableau/tableau.h
include/constella/diag.h:
src/method/method.h:
include/constella/method.h:
include/constella/expr.h:
include/constella/system.h:
include/constella/document.h:
include/constella/isa.h:
src/tableau/tableau.h:
