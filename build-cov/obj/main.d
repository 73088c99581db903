build-cov/obj/main.o: src/main.c src/cli/cli.h include/constella/diag.h
src/cli/cli.h:
include/constella/diag.h:
