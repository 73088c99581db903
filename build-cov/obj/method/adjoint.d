build-cov/obj/method/adjoint.o: src/method/adjoint.c src/method/method.h \
 include/constella/method.h include/constella/expr.h \
 include/constella/system.h include/constella/diag.h \
 include/constella/document.h include/constella/isa.h \
 src/tableau/tableau.h
src/method/method.h:
include/constella/method.h:
include/constella/expr.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/isa.h:
src/tableau/tableau.h:
