build-cov/obj/core/sum.o: src/core/sum.c include/constella/statistics.h
include/constella/statistics.h:
