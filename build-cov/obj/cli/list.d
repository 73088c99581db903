build-cov/obj/cli/list.o: src/cli/list.c src/cli/cli.h \
 include/constella/diag.h include/constella/study.h \
 include/constella/method.h include/constella/expr.h \
 include/constella/system.h include/constella/document.h \
 include/constella/isa.h
src/cli/cli.h:
include/constella/diag.h:
include/constella/study.h:
include/constella/method.h:
include/constella/expr.h:
include/constella/system.h:
include/constella/document.h:
include/constella/isa.h:
