build-cov/obj/tableau/algebra.o: src/tableau/algebra.c \
 src/tableau/tableau.h
src/tableau/tableau.h:
