build-cov/obj/study/growth.o: src/study/growth.c include/constella/expr.h \
 include/constella/random.h include/constella/statistics.h
include/constella/expr.h:
include/constella/random.h:
include/constella/statistics.h:
