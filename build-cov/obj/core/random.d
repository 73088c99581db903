build-cov/obj/core/random.o: src/core/random.c include/constella/random.h \
 include/constella/expr.h
include/constella/random.h:
include/constella/expr.h:
