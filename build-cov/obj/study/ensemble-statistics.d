build-cov/obj/study/ensemble-statistics.o: \
 src/study/ensemble-statistics.c include/constella/statistics.h
include/constella/statistics.h:
