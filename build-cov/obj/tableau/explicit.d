build-cov/obj/tableau/explicit.o: src/tableau/explicit.c \
 src/tableau/tableau.h
src/tableau/tableau.h:
