build-cov/obj/core/diag.o: src/core/diag.c include/constella/diag.h
include/constella/diag.h:
