build-cov/obj/core/sha256.o: src/core/sha256.c include/constella/random.h
include/constella/random.h:
