kick.o: src/method/core/kick.c src/method/core/kick-data.h \
 src/method/core/lane.h src/method/core.h src/method/reason.h \
 src/system/lane/record.h include/constella/system.h \
 include/constella/diag.h include/constella/document.h \
 include/constella/expr.h include/constella/isa.h \
 include/constella/kernels.h src/system/lane/group.h \
 include/constella/lanes.h src/system/lane/rows.h src/system/lane/gram.h \
 src/core/band.h src/core/dense.h src/core/sparse.h \
 src/system/lane/kick-rows.h src/method/core/bend.h \
 src/method/core/march.h src/method/core/round-off.h \
 src/system/lane/interpreted-kernels.h src/method/core/march-iterate.h \
 src/method/core/march-pieces.h
src/method/core/kick-data.h:
src/method/core/lane.h:
src/method/core.h:
src/method/reason.h:
src/system/lane/record.h:
include/constella/system.h:
include/constella/diag.h:
include/constella/document.h:
include/constella/expr.h:
include/constella/isa.h:
include/constella/kernels.h:
src/system/lane/group.h:
include/constella/lanes.h:
src/system/lane/rows.h:
src/system/lane/gram.h:
src/core/band.h:
src/core/dense.h:
src/core/sparse.h:
src/system/lane/kick-rows.h:
src/method/core/bend.h:
src/method/core/march.h:
src/method/core/round-off.h:
src/system/lane/interpreted-kernels.h:
src/method/core/march-iterate.h:
src/method/core/march-pieces.h:
