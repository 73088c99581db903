build-cov/obj/system/evaluate.o: src/system/evaluate.c \
 src/system/internal.h include/constella/system.h \
 include/constella/diag.h include/constella/document.h \
 include/constella/expr.h include/constella/isa.h
src/system/internal.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
