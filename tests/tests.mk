# tests.mk: `make test`, `make check`, `make san`, `make survive`, `make bench` and `make fuzz`. Each
# tests/ROOM/test-*.c is a C test, linked with the library. A comment `ranks: 1 2 3` in its first lines runs
# it on these numbers of ranks, otherwise it runs alone. Scripts are tests/ROOM/test-*.sh and test_*.py. The
# variables CONSTELLA and BUILD tell them where the built programs are.
TEST_C    := $(sort $(wildcard tests/*/test-*.c))
TEST_HELP := $(sort $(filter-out $(TEST_C) $(wildcard tests/bench/*.c) tests/survive/strike.c tests/cli/serve.c $(filter-out tests/fuzz/fuzz-%.c,$(wildcard tests/fuzz/*.c)),$(wildcard tests/*/*.c)))
TEST_SH   := $(sort $(wildcard tests/*/test-*.sh))
# Those first that take longest, beside which the others run.
TEST_LONG := $(wildcard tests/survive/test_faults.py tests/survive/test_kill.py tests/survive/test_limits.py tests/method/test_lie.py tests/system/test_derivatives.py tests/cli/test_long_systems.py tests/analysis/test_report.py)
TEST_PY   := $(TEST_LONG) $(filter-out $(TEST_LONG),$(sort $(wildcard tests/*/test_*.py)))
TEST_BIN  := $(TEST_C:tests/%.c=$(BUILD)/tests/%) $(TEST_HELP:tests/%.c=$(BUILD)/tests/%)
# CPU seconds of a test, with all processes that it starts (tests/watch.pl).
SECONDS_ALLOWED ?= 240
# Rooms whose tests `make check` runs: the fast ones, or ROOM="method cli". ONLY=skew: only the files with one of
# these words in their names.
FAST_ROOMS ?= core expr system tableau study record
ROOM       ?= $(if $(ONLY),$(notdir $(patsubst %/,%,$(wildcard tests/*/))),$(FAST_ROOMS))
ONLY       ?=
# $(call CHOSEN,files)
CHOSEN      = $(strip $(if $(ONLY),$(foreach t,$(1),$(if $(strip $(foreach w,$(ONLY),$(findstring $(w),$(notdir $(t))))),$(t))),$(1)))

# Linking the static library into each test would take most of their build. They share a library that
# exports all names.
TEST_LIB := $(BUILD)/tests/libconstella-tests.so
# Tests have v2 too, beside what the build has, for seven kinds of cores (ISAS=all: for all): the program constella-sets, and the
# library of the C tests.
TEST_ROWS  := $(if $(SAN)$(SCALAR)$(filter v2 portable,$(ISAS)),,v2)
TEST_CORES := kick midpoint rk convert project lie-rattle null-space
LANE_TEST  := $(filter-out src/method/%,$(LANE_GENERIC)) $(CORES_SHARED) $(TEST_CORES:%=src/method/core/%.c)
OBJ_TEST   := $(foreach i,$(TEST_ROWS),$(patsubst src/%.c,$(BUILD)/obj/%.$(i).o,src/expr/interpret.c $(LANE_TEST)) $(SYSTEMS:%=$(BUILD)/obj/system/compile/kernels/%.$(i).o)) $(BUILD)/tests/lane-forms.o
# Tests of lane code are compiled in its portable form, with what that calls.
OBJ_TEST   += $(filter-out $(OBJ_LANE),$(BUILD)/obj/system/core/gram.portable.o)
$(foreach i,$(TEST_ROWS),$(eval $(call LANE_RULES,$(i))) $(if $(STAMPS),$(call STAMP,$(i),$(strip $(CC) $(call ROW_CFLAGS,$(i)) $(LESS) $(RARE)))))
$(BUILD)/tests/lane-forms.c: tools/lane-forms.sh $(BUILD)/flags/rows
	@mkdir -p $(@D)
	@tools/lane-forms.sh '$(SYSTEMS)' $(foreach i,$(TEST_ROWS),'$(i) $(i) $(LANES_$(i)) src/expr/interpret.c $(LANE_TEST) : $(call ROW_FLAGS,$(i))') \
	  $(foreach i,$(ROWS),'$(call FORM,$(i))') >$@
$(BUILD)/tests/lane-forms.o: $(BUILD)/tests/lane-forms.c $(BUILD)/flags/plain
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@
TEST_PROGRAM := $(BUILD)/tests/constella-sets
$(TEST_PROGRAM): $(BUILD)/obj/main.o $(OBJ_TEST) $(LIBRARY)
	$(Q)$(CC) $(SANFLAGS) $^ -o $@ $(PC_LIBS)
$(TEST_LIB): $(LIBRARY) $(OBJ_TEST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANFLAGS) -shared -Wl,-soname,$(@F),-Bsymbolic $(filter-out $(BUILD)/obj/cli/submit%,$(OBJ_PLAIN)) $(OBJ_LANE) $(OBJ_KERNELS) $(OBJ_TEST) -o $@ $(TEST_LIBS)
$(BUILD)/tests/%: tests/%.c tests/tap.h $(wildcard tests/*/*.h) $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -O1 -Itests -I$(<D) $(filter %.c,$<) $(TEST_LIB) -Wl,-rpath,'$$ORIGIN/..' -o $@ $(TEST_LIBS)

# Loaded before the program: strike.so fails or kills it in a chosen call, serve.so starts it many times at once.
TEST_PRELOADED := $(BUILD)/tests/survive/strike.so $(BUILD)/tests/cli/serve.so
$(TEST_PRELOADED): $(BUILD)/%.so: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) -O1 -g $(WARN) $(if $(PETSC_SONAME),-DPETSC='"$(PETSC_SONAME)"') -shared -fPIC $< -o $@ -ldl

# Cores for one system, which C tests compare with those for any.
TEST_FORMS := $(if $(SAN)$(SCALAR),,$(foreach i,$(filter-out v2,$(ISAS)),$(filter %.$(i).so,$(OBJ_FORM))))
CHECK_C := $(call CHOSEN,$(filter $(ROOM:%=tests/%/%),$(TEST_C)))
.PHONY: test test-all check tests-built check-built san
check-built: $(PROGRAM) $(TEST_PROGRAM) $(TEST_FORMS) $(patsubst tests/%.c,$(BUILD)/tests/%,$(CHECK_C) $(TEST_HELP)) $(TEST_PRELOADED)
tests-built: $(PROGRAM) $(TEST_PROGRAM) $(TEST_BIN) $(TEST_PRELOADED) $(TEST_FORMS)

# $(call RANKS,file.c)
RANKS = $(or $(shell sed -n 's/.*ranks: *\([0-9 ]*[0-9]\).*/\1/p' $(1) | head -n 1),0)
# The longest tests come first, as far as an earlier run has told them (run.pl); of those in C these two. Two more run at
# a time than there are cores, because many of them wait, for the start of MPI or the instant of a kill.
define RUN_LIST
@mkdir -p $(BUILD)
@{ $(foreach t,$(call CHOSEN,$(filter $(1:%=tests/%/%),$(TEST_PY))),echo '$(SECONDS_ALLOWED) $(PYTHON) $(t)';) \
   $(foreach t,$(call CHOSEN,$(filter $(1:%=tests/%/%),$(TEST_SH))),echo '$(SECONDS_ALLOWED) $(t)';) \
   $(foreach t,$(call CHOSEN,$(filter $(1:%=tests/%/%),$(TEST_C))),$(foreach n,$(call RANKS,$(t)),echo '$(SECONDS_ALLOWED) $(if $(filter 0,$(n)),,mpirun -n $(n) )$(BUILD)/$(t:.c=)';)) :; } | awk '/test-(claims-order|bits)$$/ { print; next } { rest[n++] = $$0 } END { for (i = 0; i < n; i++) print rest[i] }' >$(BUILD)/tests.list
@BUILD='$(BUILD)' CONSTELLA='$(BUILD)/constella' PYTHON='$(PYTHON)' JOBS=$$(($(JOBS) + 2)) perl tests/run.pl $(BUILD)/tests.list
endef

test:
	@echo 'about 16 minutes on two cores, 2 more where packages are missing; 200 MB for the build, 1.5 GB for the packages'
	@$(MAKE) --no-print-directory setup
	@$(MAKE) --no-print-directory all
	@echo 'building the tests'
	@$(MAKE) --no-print-directory -j$(JOBS) tests-built
	@$(MAKE) --no-print-directory run-tests
# All combinations of methods, layers, biases and systems instead of those that tests/method/cover.h chooses.
test-all: scalar
	@CONSTELLA_TEST_ALL=1 $(MAKE) --no-print-directory SECONDS_ALLOWED=1200 test
check:
	@tools/format.sh --check
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory -j$(JOBS) check-built
	@$(MAKE) --no-print-directory run-check
.PHONY: run-tests run-check
run-tests: export SECONDS_BUDGET ?= 800
run-tests: export BUILD_SECONDS = $(shell cat $(BUILD)/seconds 2>/dev/null)
run-tests:
	$(call RUN_LIST,$(sort $(notdir $(wildcard tests/*))))
run-check:
	$(if $(call CHOSEN,$(filter $(ROOM:%=tests/%/%),$(TEST_C) $(TEST_SH) $(TEST_PY))),,$(error no test in $(ROOM) $(if $(ONLY),with '$(ONLY)' in its name)))
	$(call RUN_LIST,$(ROOM))

# The tests under the address and undefined-behaviour sanitizers, in a build folder of their own.
san:
	@$(MAKE) --no-print-directory SAN=1 OPT=-O1 BUILD=build-san all
	@$(MAKE) --no-print-directory SAN=1 OPT=-O1 BUILD=build-san -j$(JOBS) tests-built
	@ASAN_OPTIONS=fast_unwind_on_malloc=0:detect_leaks=1:handle_segv=0:verify_asan_link_order=0 LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 \
	  SLOWER=10 $(MAKE) --no-print-directory SAN=1 BUILD=build-san SECONDS_ALLOWED=2400 run-tests

# The tests beside busy loops, on one core, and stopped and continued at random: tests/steady.sh, of which STEADY has the
# options. ONLY chooses tests.
STEADY ?=
.PHONY: steady
steady:
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory -j$(JOBS) tests-built
	@BUILD='$(BUILD)' ONLY='$(ONLY)' tests/steady.sh $(STEADY)

# Studies of every family, killed at INSTANTS instants; `make test` has 12.
INSTANTS ?= 100
.PHONY: survive
survive: all
	@$(MAKE) --no-print-directory $(BUILD)/tests/survive/strike.so
	@BUILD='$(BUILD)' CONSTELLA='$(BUILD)/constella' $(PYTHON) tests/survive/test_kill.py --instants $(INSTANTS) --seed $(or $(SEED),2)

# How often each verdict is right on series of known truth: the table of docs/verdicts.md.
SERIES ?= 200
.PHONY: verdict-rates
verdict-rates: all
	@BUILD='$(BUILD)' jobs/verdict-rates $(SERIES)

# ---- benchmark: never part of the tests ----------------------------------------------------------
BENCH_HAND := pendulum double top
HAND_FLAGS = $(if $(filter scalar,$(1)),-DCST_W=1 -DCST_ISA=scalar -DCST_PORTABLE $(if $(filter portable,$(CPU_SET)),,-march=x86-64-v2),$(call ROW_FLAGS,$(1)))
# For the widths of all sets, whichever are built.
HAND_ROWS := scalar $(if $(filter portable,$(CPU_SET)),portable,v2 v3 v4)
define BENCH_RULES
$(BUILD)/tests/bench/$(1).$(2).o: tests/bench/hand.c tests/bench/bench.h include/constella/lanes.h
	@mkdir -p $$(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(call HAND_FLAGS,$(2)) -Wno-unused-parameter -DHAND=$(3) -DHAND_SYMBOL=hand_$(1)_$(2) -c $$< -o $$@
endef
$(foreach i,$(HAND_ROWS),$(eval $(call BENCH_RULES,pendulum,$(i),PENDULUM)) $(eval $(call BENCH_RULES,double,$(i),DOUBLE)) $(eval $(call BENCH_RULES,top,$(i),TOP)))
BENCH_OBJ := $(foreach i,$(HAND_ROWS),$(BENCH_HAND:%=$(BUILD)/tests/bench/%.$(i).o))
define BENCH_LOOP
$(BUILD)/tests/bench/hand-$(1).$(2).o: tests/bench/hand-$(1).c tests/bench/bench.h include/constella/lanes.h
	@mkdir -p $$(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(call HAND_FLAGS,$(2)) -Wno-unused-parameter -DHAND_SYMBOL=hand_$(1)_$(2) -c $$< -o $$@
endef
$(foreach i,$(HAND_ROWS),$(eval $(call BENCH_LOOP,chain,$(i))) $(eval $(call BENCH_LOOP,line,$(i))) $(eval $(call BENCH_LOOP,springs,$(i))) $(eval $(call BENCH_LOOP,lie,$(i))) $(eval $(call BENCH_LOOP,angles,$(i))) $(eval $(call BENCH_LOOP,constrained,$(i))))
# The cost of a step of nets against their size, beside a loop by hand with CHOLMOD (libsuitesparse-dev).
bench-net: all $(BUILD)/tests/bench/hand-net
	CONSTELLA='$(BUILD)/constella' $(PYTHON) jobs/nets/nets.py -o '$(BUILD)/nets' --hand '$(BUILD)/tests/bench/hand-net'
$(BUILD)/tests/bench/hand-net: tests/bench/hand-net.c
	@mkdir -p $(@D)
	$(CC) -O2 -std=gnu11 -Wall -Wextra -Werror -o $@ $< -lcholmod -lm
.PHONY: bench-net
BENCH_OBJ_systems       := $(foreach i,$(HAND_ROWS),$(BUILD)/tests/bench/hand-chain.$(i).o)
BENCH_OBJ_line-integral := $(foreach i,$(HAND_ROWS),$(BUILD)/tests/bench/hand-line.$(i).o)
BENCH_OBJ_linear        := $(foreach i,$(HAND_ROWS),$(BUILD)/tests/bench/hand-springs.$(i).o)
BENCH_OBJ_lie           := $(foreach i,$(HAND_ROWS),$(BUILD)/tests/bench/hand-lie.$(i).o)
BENCH_OBJ_general       := $(foreach i,$(HAND_ROWS),$(BUILD)/tests/bench/hand-angles.$(i).o)
BENCH_OBJ_constrained   := $(foreach i,$(HAND_ROWS),$(BUILD)/tests/bench/hand-constrained.$(i).o)
BENCH_OBJ_bench         := $(BENCH_OBJ)
# The tests compile the loops written by hand once, so that no change of a header breaks them unseen.
tests-built: $(filter %.scalar.o,$(BENCH_OBJ) $(BENCH_OBJ_systems) $(BENCH_OBJ_line-integral) $(BENCH_OBJ_linear) $(BENCH_OBJ_lie) $(BENCH_OBJ_general) $(BENCH_OBJ_constrained))
BENCH_OBJ_matrix        := $(BENCH_OBJ)
BENCH_PARTS             := bench matrix systems conversion line-integral linear lie thermostat general constrained
$(BENCH_PARTS:%=$(BUILD)/bench-%): $(BUILD)/bench-%: tests/bench/%.c tests/bench/tools.c tests/bench/bench.h tests/bench/tools.h $(BENCH_OBJ) $(BENCH_OBJ_systems) $(BENCH_OBJ_line-integral) $(BENCH_OBJ_linear) $(BENCH_OBJ_lie) $(BENCH_OBJ_general) $(BENCH_OBJ_constrained) $(LIBRARY)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests/bench $(filter %.c,$^) $(BENCH_OBJ_$*) $(LIBRARY) -o $@ $(TEST_LIBS)

# Checkpoints of many ranks on a slow disk.
$(BUILD)/tests/bench/scale.so: tests/bench/scale.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(WARN) -shared -fPIC $< -o $@ -ldl
bench-scale: $(PROGRAM) $(BUILD)/tests/bench/scale.so
	@BUILD='$(BUILD)' OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(PYTHON) tests/bench/scale.py
	@BUILD='$(BUILD)' OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(PYTHON) tests/bench/metadata.py

# METHODS='WORD ...' takes those whose names hold a word, AGAINST=FILE compares with a stored build/matrix.txt,
# PAGE=docs/speed.md writes the table there.
bench-matrix: $(BUILD)/bench-matrix
	@BUILD='$(BUILD)' METHODS='$(METHODS)' OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(PYTHON) tests/bench/matrix.py $(AGAINST) $(if $(PAGE),--page '$(PAGE)')

# Measured times of jobs/timing.yaml, beside those of AGAINST=FILE.
bench-compare: $(PROGRAM)
	@test -f '$(AGAINST)' || { echo 'make bench-compare: AGAINST=FILE names an earlier build/timing.h5 of this machine'; exit 2; }
	@OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(PROGRAM) run jobs/timing.yaml -o $(BUILD)/timing.h5 --overwrite
	@$(PROGRAM) compare '$(AGAINST)' $(BUILD)/timing.h5

.PHONY: bench bench-built bench-scale bench-matrix bench-compare
bench-built: $(BENCH_PARTS:%=$(BUILD)/bench-%)
bench: forms
	@$(MAKE) --no-print-directory bench-built
	@$(foreach p,$(BENCH_PARTS),OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(BUILD)/bench-$(p);)
	@BUILD='$(BUILD)' $(PYTHON) tests/bench/works.py
	@BUILD='$(BUILD)' $(PYTHON) tests/bench/checkpoints.py
	@BUILD='$(BUILD)' $(PYTHON) tests/bench/trajectories.py
	@BUILD='$(BUILD)' $(PYTHON) tests/bench/check.py
	@BUILD='$(BUILD)' $(PYTHON) tests/bench/water.py

# ---- fuzzing: any bytes as study and system files ------------------------------------------------
# The targets tests/fuzz/fuzz-*.c run with libFuzzer if clang has it, otherwise with the mutations of
# tests/fuzz/driver.c. `make test` runs them for some seconds with the ordinary library. `make fuzz`
# compiles the code that reads files with the sanitizers, and lane code without.
FUZZ_TARGETS   := study system method layers checkpoint continue result table
SECONDS        ?= 60
SEED           ?= 1
FUZZ_HOW       := $(if $(filter fuzz fuzz-%,$(MAKECMDGOALS)),$(shell tests/fuzz/how.sh))
FUZZ_BUILD     := $(BUILD)/fuzz-$(FUZZ_HOW)
FUZZ_CC        := $(if $(filter libfuzzer,$(FUZZ_HOW)),clang -idirafter $(shell gcc -print-file-name=include),$(CC))
FUZZ_SAN       := -fsanitize=address,undefined -fno-sanitize=pointer-overflow -fno-sanitize-recover=undefined -fno-omit-frame-pointer  # NULL + 0 is fine
FUZZ_COVERAGE  := $(if $(filter libfuzzer,$(FUZZ_HOW)),-fsanitize=fuzzer-no-link)
FUZZ_DRIVER    := tests/fuzz/$(if $(FUZZ_COVERAGE),guide,driver).c
FUZZ_CFLAGS     = $(filter-out -Werror -Wno-psabi,$(ALL_CFLAGS)) -w -O1 $(FUZZ_SAN)
FUZZ_SOURCES   := $(filter-out src/core/isa.c src/system/examine/% src/cli/submit%,$(filter $(foreach r,core expr tableau system method study record cli,src/$(r)/%),$(PLAIN)))  # where clang lacks what gcc has
FUZZ_OBJ       := $(FUZZ_SOURCES:src/%.c=$(FUZZ_BUILD)/%.o)

$(BUILD)/tests/fuzz/fuzz-%: tests/fuzz/fuzz-%.c tests/fuzz/driver.c tests/fuzz/mutate.c tests/fuzz/mutate.h $(TEST_LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(filter %.c,$^) $(TEST_LIB) -Wl,-rpath,'$$ORIGIN/..' -o $@ $(TEST_LIBS)
$(FUZZ_BUILD)/system/compile/compiler.o: ALL_CFLAGS += $(OBJECT_DEFINES)
$(FUZZ_BUILD)/%.o: src/%.c
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(FUZZ_CFLAGS) $(FUZZ_COVERAGE) -DCST_VERSION='"$(VERSION)"' -DCST_COMPILER='"clang"' -c $< -o $@
$(FUZZ_TARGETS:%=$(FUZZ_BUILD)/fuzz-%): $(FUZZ_BUILD)/fuzz-%: tests/fuzz/fuzz-%.c $(FUZZ_DRIVER) tests/fuzz/mutate.c tests/fuzz/mutate.h $(FUZZ_OBJ) $(LIBRARY)
	$(Q)$(FUZZ_CC) $(FUZZ_CFLAGS) $(if $(FUZZ_COVERAGE),-fsanitize=fuzzer) $(filter %.c,$^) $(FUZZ_OBJ) $(LIBRARY) -o $@ $(TEST_LIBS)

.PHONY: fuzz fuzz-run
fuzz: all
	@$(MAKE) --no-print-directory -j$(JOBS) fuzz-run
fuzz-run: $(FUZZ_TARGETS:%=$(FUZZ_BUILD)/fuzz-%)
	@for t in $(FUZZ_TARGETS); do BUILD='$(BUILD)' CONSTELLA='$(BUILD)/constella' tests/fuzz/run.sh $(FUZZ_HOW) $(FUZZ_BUILD)/fuzz-$$t $$t '$(SECONDS)' $(FUZZ_BUILD)/found-$$t '$(SEED)' || failed=1; done; exit $${failed:-0}
-include $(wildcard $(FUZZ_BUILD)/*/*.d)
# SPDX-License-Identifier: BSD-2-Clause
