build-cov/obj/core/document.o: src/core/document.c \
 include/constella/document.h include/constella/diag.h
include/constella/document.h:
include/constella/diag.h:
