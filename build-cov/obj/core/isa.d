build-cov/obj/core/isa.o: src/core/isa.c include/constella/isa.h
include/constella/isa.h:
