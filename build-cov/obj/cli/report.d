build-cov/obj/cli/report.o: src/cli/report.c src/cli/cli.h
src/cli/cli.h:
