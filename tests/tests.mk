# tests.mk: what `make test`, `make check` and `make san` build and run. A C test is any tests/ROOM/test-*.c; it is linked with the library and run
# alone, or on the numbers of ranks that its first lines name in a comment `ranks: 1 2 3`. A script is any tests/ROOM/test-*.sh or test_*.py; it finds
# the built programs through the environment (CONSTELLA, BUILD).
TEST_C    := $(sort $(wildcard tests/*/test-*.c))
TEST_HELP := $(sort $(filter-out $(TEST_C) $(wildcard tests/bench/*.c),$(wildcard tests/*/*.c)))
TEST_SH   := $(sort $(wildcard tests/*/test-*.sh))
TEST_PY   := $(sort $(wildcard tests/*/test_*.py))
TEST_BIN  := $(TEST_C:tests/%.c=$(BUILD)/tests/%) $(TEST_HELP:tests/%.c=$(BUILD)/tests/%)
SECONDS_ALLOWED ?= 240
# Rooms whose tests `make check` runs: the fast ones.
FAST_ROOMS ?= core expr system tableau study record

$(BUILD)/tests/%: tests/%.c tests/tap.h $(LIBRARY)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests -I$(<D) $(filter %.c,$<) $(LIBRARY) -o $@ $(PC_LIBS) -ldl

.PHONY: test check tests-built san
tests-built: $(PROGRAM) $(TEST_BIN)

# $(call RANKS,file.c)
RANKS = $(or $(shell sed -n 's/.*ranks: *\([0-9 ]*[0-9]\).*/\1/p' $(1) | head -n 1),0)
define RUN_LIST
@mkdir -p $(BUILD)
@{ $(foreach t,$(filter $(foreach r,$(1),tests/$(r)/%),$(TEST_C)),$(foreach n,$(call RANKS,$(t)),echo '$(SECONDS_ALLOWED) $(if $(filter 0,$(n)),,mpirun -n $(n) )$(BUILD)/$(t:.c=)';)) \
   $(foreach t,$(filter $(foreach r,$(1),tests/$(r)/%),$(TEST_SH)),echo '$(SECONDS_ALLOWED) $(t)';) \
   $(foreach t,$(filter $(foreach r,$(1),tests/$(r)/%),$(TEST_PY)),echo '$(SECONDS_ALLOWED) $(PYTHON) $(t)';) :; } >$(BUILD)/tests.list
@BUILD='$(BUILD)' CONSTELLA='$(BUILD)/constella' PYTHON='$(PYTHON)' JOBS=$(JOBS) perl tests/run.pl $(BUILD)/tests.list
endef

test: setup
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory -j$(JOBS) tests-built
	@$(MAKE) --no-print-directory run-tests
check:
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory -j$(JOBS) tests-built
	@$(MAKE) --no-print-directory run-check
.PHONY: run-tests run-check
run-tests:
	$(call RUN_LIST,$(sort $(notdir $(wildcard tests/*))))
run-check:
	$(call RUN_LIST,$(FAST_ROOMS))

# The tests under the address and undefined-behaviour sanitizers, in a build folder of their own.
san:
	@$(MAKE) --no-print-directory SAN=1 OPT=-O1 BUILD=build-san all
	@$(MAKE) --no-print-directory SAN=1 OPT=-O1 BUILD=build-san -j$(JOBS) tests-built
	@ASAN_OPTIONS=fast_unwind_on_malloc=0:detect_leaks=1 LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 \
	  $(MAKE) --no-print-directory SAN=1 BUILD=build-san SECONDS_ALLOWED=900 run-tests

# ---- benchmark: never part of the tests -------------------------------------------------------------------------------------
BENCH_HAND := pendulum double top
ISA_scalar := -DCST_W=1 -DCST_ISA=scalar -DCST_PORTABLE -march=x86-64-v2
define BENCH_RULES
$(BUILD)/tests/bench/$(1).$(2).o: tests/bench/hand.c tests/bench/bench.h
	@mkdir -p $$(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ISA_$(2)) -Wno-unused-parameter -DHAND=$(3) -DHAND_SYMBOL=hand_$(1)_$(2) -c $$< -o $$@
endef
$(foreach i,scalar $(ISAS),$(eval $(call BENCH_RULES,pendulum,$(i),PENDULUM)) $(eval $(call BENCH_RULES,double,$(i),DOUBLE)) $(eval $(call BENCH_RULES,top,$(i),TOP)))
BENCH_OBJ := $(foreach i,scalar $(ISAS),$(BENCH_HAND:%=$(BUILD)/tests/bench/%.$(i).o))
$(BUILD)/bench: tests/bench/bench.c $(BENCH_OBJ) $(LIBRARY)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests/bench $(filter %.c,$^) $(BENCH_OBJ) $(LIBRARY) -o $@ $(PC_LIBS) -ldl

.PHONY: bench
bench: all
	@$(MAKE) --no-print-directory $(BUILD)/bench
	@OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(BUILD)/bench
