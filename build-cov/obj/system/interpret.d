build-cov/obj/system/interpret.o: src/system/interpret.c \
 src/system/internal.h include/constella/system.h \
 include/constella/diag.h include/constella/document.h \
 include/constella/expr.h include/constella/isa.h
src/system/internal.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
