build-cov/obj/study/order-fit.o: src/study/order-fit.c \
 include/constella/expr.h include/constella/statistics.h
include/constella/expr.h:
include/constella/statistics.h:
