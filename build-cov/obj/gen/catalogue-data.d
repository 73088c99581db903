build-cov/obj/gen/catalogue-data.o: build-cov/gen/catalogue-data.c \
 src/system/internal.h include/constella/system.h \
 include/constella/diag.h include/constella/document.h \
 include/constella/expr.h include/constella/isa.h
src/system/internal.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
