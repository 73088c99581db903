build-cov/obj/tableau/gauss.o: src/tableau/gauss.c src/tableau/tableau.h
src/tableau/tableau.h:
