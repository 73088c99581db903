# Constella: build, test, demo. `make help` lists the targets.
.DEFAULT_GOAL := all
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
# V=1 shows the commands.
Q := $(if $(V),,@)

# BUILD: the folder of the build. OPT: the level of optimisation. SAN=1 adds the address and
# undefined-behaviour sanitizers.
BUILD  ?= build
CC     ?= gcc
ifeq ($(origin CC),default)
CC     := gcc
endif
PYTHON ?= /usr/bin/python3
OPT    ?= -O2
SAN    ?=
JOBS   ?= $(shell nproc)

# Required packages of Debian.
PACKAGES_BUILD    := gcc make pkg-config libopenmpi-dev openmpi-bin petsc-dev libhdf5-openmpi-dev hdf5-tools libfyaml-dev libsleef-dev libopenblas0-serial perl git
PACKAGES_ANALYSIS := python3-h5py python3-matplotlib python3-numpy python3-yaml
PACKAGES_TEST     := python3-jsonschema python3-pandas python3-sympy python3-scipy python3-xarray python3-h5netcdf slurm-wlm
# Some tests of `make test-all` need these.
PACKAGES_ALL      := python3-pip python3-setuptools python3-wheel python3-venv mypy python3-nbclient python3-ipykernel chromium texlive-latex-recommended texlive-science libsundials-dev python3-lammps liblammps-dev

GEN      := $(BUILD)/gen
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || cat VERSION 2>/dev/null || echo unknown)

# tools/libraries.sh sets MISSING and, for each library, NAME_FROM, NAME_CFLAGS and NAME_LIBS.
comma := ,
define newline


endef
FOLDERS := PETSC_DIR PETSC_ARCH HDF5_DIR FYAML_DIR SLEEF_DIR
$(eval $(subst |,$(newline),$(shell CC='$(CC)' $(foreach f,$(FOLDERS),$(f)='$($(f))') tools/libraries.sh | tr '\n' '|')))
# Link flags. A library outside the loader's folders gets its folder as a run path.
flags      = $(foreach l,$(1),$($(l)_LIBS))
linked     = $(call flags,$(1)) $(patsubst -L%,-Wl$(comma)-rpath$(comma)%,$(filter-out -L/lib% -L/usr/lib%,$(filter -L%,$(call flags,$(1)))))
LIBRARIES := PETSC HDF5 FYAML SLEEF MPI
PC_CFLAGS  = $(foreach l,$(LIBRARIES),$($(l)_CFLAGS))
# PETSC_SONAME: the file of a shared PETSc. It is loaded when it is asked for (src/solve/petsc.h), and only tests
# are linked with it; they call it too.
BEHIND     = $(call linked,$(filter-out PETSC,$(LIBRARIES))) -lquadmath -lm -ldl
PC_LIBS    = $(if $(PETSC_SONAME),$(filter -Wl$(comma)-rpath%,$(call linked,PETSC)),$(call linked,PETSC)) $(BEHIND)
TEST_LIBS  = $(call linked,PETSC) $(BEHIND)

# `make WERROR=` for compilers with other warnings.
WERROR   ?= -Werror
WARN     := -Wall -Wextra $(WERROR) -Wno-psabi -Wno-missing-field-initializers
# quadmath.h is gcc's own, and clang lacks some of gcc's warnings. A pragma before a loop misleads its warning
# of misleading indentation.
ifneq ($(findstring clang,$(shell $(CC) --version 2>/dev/null)),)
WARN     += -Wno-unknown-warning-option -Wno-bitwise-instead-of-logical -Wno-pass-failed -Wno-misleading-indentation -Wno-string-concatenation
BESIDE   := -idirafter $(shell gcc -print-file-name=include)
endif
# No contraction, no fast-math: the bits must not depend on the instruction set.
STRICT   := -ffp-contract=off -fno-math-errno -fno-trapping-math
# The program and both libraries share their objects. No function of the shared library is interposed. Lane
# code refers to no data of other libraries, so that code for position-independent programs (PIE) can be
# linked into a shared library too. Code of the sanitizers refers to such data.
SHARED   := -fPIC -fno-semantic-interposition
LANE_SHARED := $(if $(SAN),$(SHARED),$(if $(shell echo | $(CC) -dM -E - 2>/dev/null | grep __PIE__),,$(SHARED)))
# Debugging information has lines and functions only: locations of variables would take a sixth of the build. `make scalar`
# has them, and CFLAGS='-O2 -g'.
CFLAGS   ?= $(OPT) $(if $(SCALAR),-g,-g1)
SANFLAGS := $(if $(SAN),-fsanitize=address$(comma)undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
ALL_CFLAGS = -std=gnu11 $(CFLAGS) $(SANFLAGS) $(WARN) $(STRICT) $(SHARED) -MMD -MP -Iinclude -Isrc -I$(GEN) $(if $(SCALAR),-DCST_SCALAR) $(PC_CFLAGS) $(BESIDE)
LANE_CFLAGS = $(filter-out $(SHARED),$(ALL_CFLAGS)) $(LANE_SHARED)

# Instruction sets for which lane code is compiled: that of this machine (tools/cpu-set.sh), those of ISAS="v2 v3 v4", or
# ISAS=all, for packages and for clusters of several kinds of nodes. ISAS=portable: plain C, for any processor.
ifdef SCALAR
override ISAS := scalar
endif
CPU_SET  := $(shell CC='$(CC)' tools/cpu-set.sh)
ISAS     ?= $(CPU_SET)
ifeq ($(ISAS),all)
override ISAS := $(if $(filter portable,$(CPU_SET)),portable,v2 v3 v4)
endif
SETS     := v2 v3 v4 portable scalar
$(if $(filter-out $(SETS),$(ISAS))$(if $(ISAS),,none),$(error ISAS is '$(ISAS)'; allowed: all, or some of v2 v3 v4 portable))
override ISAS := $(foreach i,$(SETS),$(filter $(i),$(ISAS)))
# What long systems and single trajectories run is compiled for fewer lanes of the same set too: v4x2 has 2. A row is a
# set with a number of lanes.
FEWER_v3 := v3x2
FEWER_v4 := v4x2 v4x4
ROWS     := $(foreach i,$(ISAS),$(FEWER_$(i)) $(i))
SET_OF    = $(firstword $(subst x, ,$(1)))
LANES_v2       := 2
LANES_v3       := 4
LANES_v4       := 8
LANES_portable := 4
LANES_scalar   := 1
LANES_OF  = $(or $(word 2,$(subst x, ,$(1))),$(LANES_$(1)))
# Lane code compiled for one system does not read the context, and without constraints it leaves arrays unset.
LANE_FLAGS   := -Wno-unused-parameter -Wno-maybe-uninitialized -Wno-uninitialized
MARCH_v2       := -march=x86-64-v2
MARCH_v3       := -march=x86-64-v3
MARCH_v4       := -march=x86-64-v4
MARCH_portable := -DCST_PORTABLE
# One lane in plain C, for debugging: `make scalar`.
MARCH_scalar   := -DCST_PORTABLE
ROW_FLAGS = $(MARCH_$(call SET_OF,$(1))) $(if $(filter v4,$(1)),-mprefer-vector-width=512) -DCST_W=$(call LANES_OF,$(1)) -DCST_ISA=$(1)
# v2 is for machines from before 2013: the same bits, at half the time of compilation.
LESS        := $(patsubst -O2,-O1,$(filter -O2,$(CFLAGS)))
LANE_OPT_v2 := $(LESS)
ROW_CFLAGS = $(LANE_CFLAGS) $(LANE_FLAGS) $(call ROW_FLAGS,$(1)) $(LANE_OPT_$(1))

# Sources. Lane code, compiled for each instruction set, is in src/ROOM/core, in src/expr/interpret.c and in
# src/system/compile/kernels.c. Files of src/method/core are also compiled without lanes, for their rows; not those that only
# cores call.
LANE_SOURCES := $(wildcard src/*/core/*.c)
CORES_SHARED := src/method/core/near-root.c src/method/core/round-off.c
# Cores with a line `#define COMPILED_FOR` are compiled for one system too, when a study starts that gains by it
# (src/system/compile/compile.h). Those of molecules have no form for any system.
LANE_SIZED   := $(shell grep -l '^\#define COMPILED_FOR' $(LANE_SOURCES))
LANE_GENERIC := $(filter-out $(shell grep -l '^\#define COMPILED_FOR .molecules' $(LANE_SIZED)),$(LANE_SOURCES))
# Files with a line `#define CORE_IS_NARROW_TOO`, and all lane code that is not a method's, are compiled for rows with fewer lanes.
CORES_NARROW := $(shell grep -l '^\#define CORE_IS_NARROW_TOO' src/method/core/*.c)
LANE_NARROW  := $(filter-out src/statistics/core/growth-lanes.c,$(filter-out src/method/%,$(LANE_GENERIC))) $(CORES_SHARED) $(CORES_NARROW)
LANE_IN       = $(if $(findstring x,$(1)),$(LANE_NARROW),$(LANE_GENERIC))
SYSTEMS      := $(basename $(notdir $(wildcard src/system/catalogue/*.yaml)))
EXPR         := $(filter-out src/expr/interpret.c,$(wildcard src/expr/*.c))
GENERATOR    := $(wildcard src/system/read/*.c src/system/derive/*.c src/system/emit/*.c) src/system/point/body-quantities.c src/core/diag.c src/core/csv.c src/core/need.c src/core/text.c src/core/keys.c src/core/document.c src/core/yaml.c
PLAIN        := $(filter-out src/expr/interpret.c src/system/compile/kernels.c src/system/emit/generate.c src/system/compile/make-forms.c src/core/core/% src/observe/core/% src/statistics/core/% src/system/core/% $(CORES_SHARED),$(wildcard src/*/*.c src/*/*/*.c))

OBJ_PLAIN    := $(PLAIN:src/%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/gen/catalogue-data.o $(BUILD)/obj/gen/sources.o $(BUILD)/obj/gen/templates.o $(BUILD)/obj/gen/bibliography.o
OBJ_LANE     := $(sort $(foreach i,$(ROWS),$(patsubst src/%.c,$(BUILD)/obj/%.$(i).o,$(call LANE_IN,$(i)) src/expr/interpret.c)) $(BUILD)/obj/expr/interpret.portable.o)
OBJ_KERNELS  := $(foreach i,$(ROWS),$(SYSTEMS:%=$(BUILD)/obj/system/compile/kernels/%.$(i).o))
# The table of lane code: a program for other rows differs in it alone.
OBJ_FORMS    := $(BUILD)/obj/gen/lane-forms.o
LIBRARY      := $(BUILD)/libconstella.a
# The shared library: its soname has the version of the interface (ABI), its file that of the release.
RELEASE      := $(shell sed -n 's/^\#define CST_RELEASE "\(.*\)"/\1/p' include/constella/constella.h)
ABI          := 0
SHARED_LIB   := $(BUILD)/libconstella.so.$(RELEASE)
SONAME       := libconstella.so.$(ABI)
PROGRAM      := $(BUILD)/constella

.PHONY: all scalar setup config help clean
all:
	@if [ -n '$(MISSING)' ]; then echo 'constella: not found: $(MISSING). Run `make setup` first (Debian 12), or see docs/building.md' >&2; exit 1; fi
	@set -e; tools/progress.pl $(BUILD)/obj $(MAKE) --no-print-directory -j$(JOBS) $(PROGRAM) $(SHARED_LIB) $(BUILD)/constella.pc $(BUILD)/analysis; \
	if [ $(PROGRAM) -nt $(BUILD)/seconds ]; then times >$(BUILD)/times; awk $(SECONDS_OF) $(BUILD)/times >$(BUILD)/seconds; rm $(BUILD)/times; \
	  echo "built in $$(cat $(BUILD)/seconds) CPU seconds, for $(strip $(ISAS))"; \
	  ! command -v sbatch qsub bsub >/dev/null || echo 'nodes with other processors: make ISAS=all builds for all of them'; fi

# What the last `make` that linked the program took with all that it started: the second line of bash's `times`.
SECONDS_OF := 'NR == 2 { for (i = 1; i <= 2; i++) { split($$i, x, "m"); sum += 60 * x[1] + x[2] } printf "%.0f\n", sum }'

# The program without optimisation and with one lane, for debugging: CONSTELLA_ISA=scalar runs it.
scalar:
	@$(MAKE) --no-print-directory SCALAR=1 OPT=-O0 BUILD=$(BUILD)/scalar $(BUILD)/scalar/generated
	@$(MAKE) --no-print-directory SCALAR=1 OPT=-O0 BUILD=$(BUILD)/scalar -j$(JOBS) $(BUILD)/scalar/constella

help:
	@echo 'make          build $(PROGRAM), for the instruction set of this machine; ISAS="v3 v4" or ISAS=all: for others'
	@echo 'make forms    compile the cores of each system of the catalogue beforehand, for packages and benchmarks'
	@echo 'make setup    install what is missing (Debian 12, apt-get)'
	@echo 'make config   where the libraries were found'
	@echo 'make install  what is built, into PREFIX=/usr/local (DESTDIR= before it); make uninstall takes it away'
	@echo 'make demo     set up, build, run two studies, show tables and figures'
	@echo 'make pictures the figures of the README and of docs/, from jobs and examples'
	@echo 'make test     set up, build, run every test'
	@echo 'make test-all the same with every method on every system, where make test takes a choice that leaves no claim unchecked'
	@echo 'make check    build and the fast tests only; those of one room with ROOM=method, of some files with ONLY=skew'
	@echo 'make scalar   the program with one lane and without optimisation, for debugging (CONSTELLA_ISA=scalar)'
	@echo 'make survive  studies killed and resumed at INSTANTS=100 random instants, compared with undisturbed ones'
	@echo 'make bench    speed against hand-written limits;  make bench-scale   checkpoints of many ranks on a slow disk'
	@echo '              make bench-matrix [METHODS=WORDS] [AGAINST=FILE]   methods on the standard systems, beside a stored build/matrix.txt'
	@echo '              make bench-compare AGAINST=FILE    times of jobs/timing.yaml, beside an earlier build/timing.h5'
	@echo 'make format   clang-format;  make lint   what it would change, clang-tidy, cppcheck, exported names'
	@echo 'make san      the tests under address and undefined-behaviour sanitizers'
	@echo 'make fuzz     any bytes as study and system files, for SECONDS=60 each'

config:
	@echo 'compiler: $(CC), $(shell $(CC) --version 2>/dev/null | head -n 1)'
	@$(foreach l,$(LIBRARIES),echo '$(l): $(or $($(l)_FROM),not found)$(if $($(l)_SONAME),$(comma) loaded on demand: $($(l)_SONAME))';)
	@echo 'flags: $(PC_CFLAGS)'
	@echo 'libraries: $(PC_LIBS)'
	@[ -z '$(MISSING)' ] || { echo 'not found: $(MISSING)' >&2; exit 1; }

setup:
	@tools/setup.sh '$(PACKAGES_BUILD) $(PACKAGES_ANALYSIS)' '$(PACKAGES_TEST) $(if $(CONSTELLA_TEST_ALL),$(PACKAGES_ALL))'

# ---- generated sources ---------------------------------------------------------------------------
# The generator is linked from objects of the program, which its compilation would take again. With the sanitizers, which
# it does not need, and in the program of one lane it has its own.
ifeq ($(SAN)$(SCALAR),)
$(BUILD)/obj/system/emit/generate.o: CFLAGS := $(patsubst -O2,-O0,$(CFLAGS))
$(BUILD)/generate: $(patsubst src/%.c,$(BUILD)/obj/%.o,$(GENERATOR) $(EXPR))
	$(Q)$(CC) $^ -o $@ $(call linked,FYAML SLEEF) -lquadmath -lm
else
$(BUILD)/generate: $(GENERATOR) $(EXPR) $(wildcard include/constella/*.h src/*/*.h src/*/*/*.h)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O0 $(WARN) $(STRICT) -Iinclude -Isrc $(FYAML_CFLAGS) $(SLEEF_CFLAGS) $(BESIDE) $(filter %.c,$^) -o $@ $(call linked,FYAML SLEEF) -lquadmath -lm
endif

# A generated file that has not changed keeps its time, so that nothing is compiled again for it.
$(BUILD)/generated: $(BUILD)/generate $(SYSTEMS:%=src/system/catalogue/%.yaml)
	@mkdir -p $(GEN)/new
	$(Q)$(BUILD)/generate $(GEN)/new $(filter %.yaml,$^)
	@for f in $(GEN)/new/*; do cmp -s $$f $(GEN)/$${f##*/} && rm $$f || mv $$f $(GEN)/; done; touch $@
$(GEN)/catalogue-data.c $(SYSTEMS:%=$(GEN)/%.h) $(GEN)/catalogue.list.h: $(BUILD)/generated ;

define LIST
@mkdir -p $(GEN)
@{ $(1); } >$@.new
@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
endef
# observers.list.h: the files of the observers that have lane code, which is compiled as part of the folds.
$(GEN)/observers.list.h: src/observe/observers.h Makefile
	$(call LIST,sed -n 's|^OBSERVER(\(.*\))|#include "observe/\1.c"|p' src/observe/observers.h)
# lane-forms.c: the rows and their lane code. $(call FORM,row)
FORM = $(1) $(call SET_OF,$(1)) $(call LANES_OF,$(1)) src/expr/interpret.c $(call LANE_IN,$(1)) : $(call ROW_FLAGS,$(1))
$(GEN)/lane-forms.c: tools/lane-forms.sh $(BUILD)/flags/rows
	$(call LIST,tools/lane-forms.sh '$(SYSTEMS)' $(foreach i,$(ROWS),'$(call FORM,$(i))'))

# sources.c: the sources with which systems and layers are compiled at run time, the headers that they include, and the
# header of layers.
OBJECT_SOURCES := src/system/compile/kernels.c $(LANE_SIZED)
OBJECT_FLAGS   := -std=gnu11 $(if $(SCALAR),-DCST_SCALAR) $(filter-out -g%,$(CFLAGS)) $(STRICT)
OBJECT_DEFINES := -DCST_OBJECT_CC='"$(CC)"' -DCST_OBJECT_FLAGS='"$(OBJECT_FLAGS)"'
# A system of each kind, and one that is said to be of all, since the catalogue may have none of a kind at its default sizes:
# what their headers ask for is what any system's asks for.
KINDS         := SYS_SIZED SYS_ELIMINATED SYS_BODIES SYS_MOLECULES
HAVING         = $(patsubst $(GEN)/%.h,%,$(shell grep -ls '^\#define $(1) 1' $(SYSTEMS:%=$(GEN)/%.h)))
$(GEN)/sources.c: tools/embed.sh $(OBJECT_SOURCES) $(wildcard include/constella/*.h src/*/*.h src/*/*/*.h src/observe/*.c) $(GEN)/observers.list.h | $(GEN)/catalogue-data.c
	@mkdir -p $(GEN)/new
	@sed '$(foreach k,$(KINDS),s/^#define $(k) 0/#define $(k) 1/;)' $(GEN)/$(firstword $(SYSTEMS)).h >$(GEN)/new/of-all-kinds.h
	$(Q)tools/embed.sh cst_source $(GEN) $$(for s in $(foreach k,$(KINDS),$(firstword $(call HAVING,$(k)))) new/of-all-kinds; do \
	  $(CC) -MM -DCST_W=4 -D'CST_CHOSEN(X)=' -Iinclude -Isrc -I$(GEN) -DCST_SYSTEM_HEADER="\"$$s.h\"" $(OBJECT_SOURCES); done \
	  | tr ' \\' '\n\n' | grep -v -e ':$$' -e 'of-all-kinds.h$$' $(SYSTEMS:%=-e 'gen/%.h$$') | sort -u | grep .) include/constella/layer.h >$@
# templates.c: the job scripts of `constella submit`.
TEMPLATES := $(wildcard jobs/submit.*)
$(GEN)/templates.c: tools/embed.sh $(TEMPLATES)
	@mkdir -p $(@D)
	$(Q)tools/embed.sh cst_template $(GEN) $(TEMPLATES) >$@

# bibliography.c: the sources that `constella cite` prints.
$(GEN)/bibliography.c: tools/embed.sh src/cli/bibliography.bib
	@mkdir -p $(@D)
	$(Q)tools/embed.sh cst_bibliography $(GEN) src/cli/bibliography.bib >$@

# ---- objects -------------------------------------------------------------------------------------
# Conversions along fibres of the user's own, retractions that tell axes apart and vakonomic motions are rare: the same
# bits, in two thirds of the time of compilation. Kernels too, which are one straight line; those of studies that take long are
# compiled within their cores.
RARE     := $(foreach f,convert-iota lie-axes lie-axes-rattle vakonomic,$(BUILD)/obj/method/core/$(f))
# What reads, checks and shows spends no time that counts, and takes half the time to compile by -Og.
COLD     := cli study/file study/plan study/result study/run system/read system/emit system/examine record
COLD_OPT := $(patsubst -O2,-Og,$(filter -O2,$(CFLAGS))) -Wno-maybe-uninitialized
# Flags are prerequisites: a file flags/NAME is written when they are others than those of the last build. Goals that build
# nothing write none.
# (make 4.3 leaves the newline at the end of some files that it reads, and BUILD may be relative, or absolute.)
WAS   = x$(strip $(file <$(BUILD)/flags/$(1)))
STAMP = $(call WRITE,$(1),$(subst $(BUILD)/,,$(2)))
WRITE = $(if $(subst x$(2),,$(WAS))$(subst $(WAS),,x$(2)),$(file >$(BUILD)/flags/$(1),$(2)))
STAMPS := $(filter-out help config setup install uninstall clean format,$(or $(MAKECMDGOALS),all))
ifneq ($(STAMPS),)
$(shell mkdir -p $(BUILD)/flags $(sort $(dir $(OBJ_PLAIN) $(OBJ_LANE) $(OBJ_KERNELS))))
$(foreach i,$(sort $(ROWS) portable),$(call STAMP,$(i),$(strip $(CC) $(call ROW_CFLAGS,$(i)) $(LESS) $(RARE))))
$(call STAMP,plain,$(strip $(CC) $(ALL_CFLAGS) $(COLD_OPT) $(COLD)))
$(call STAMP,rows,$(strip $(ROWS) $(LANE_GENERIC) $(CORES_NARROW) $(SYSTEMS) $(OBJECT_FLAGS)))
endif
# Results name the revision of the build, not that of the first compilation.
$(BUILD)/version: FORCE
	@mkdir -p $(@D); echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' >$@
.PHONY: FORCE
$(BUILD)/obj/study/run/identity.o $(BUILD)/obj/main.o: $(BUILD)/version
# Their folders are there, and make starts the compiler without a shell between, which would take a twentieth of the build.
$(BUILD)/obj/%.o: SHELL := /bin/sh
$(BUILD)/obj/%.o: .SHELLFLAGS := -c
$(BUILD)/obj/gen/%.o: $(GEN)/%.c $(BUILD)/flags/plain
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@
$(BUILD)/obj/system/compile/compiler.o: ALL_CFLAGS += $(OBJECT_DEFINES)
$(BUILD)/obj/solve/petsc.o: ALL_CFLAGS += $(if $(PETSC_SONAME),-DCST_PETSC_LIBRARY='"$(PETSC_SONAME)"')
# Generated headers are order-only prerequisites: the first build needs them to exist, and from then on the .d
# files tell which objects include one that has changed.
define LANE_RULES
$(BUILD)/obj/expr/interpret.$(1).o: src/expr/interpret.c $(BUILD)/flags/$(1)
	$(Q)$(CC) $(call ROW_CFLAGS,$(1)) -c $$< -o $$@
$(LANE_GENERIC:src/%.c=$(BUILD)/obj/%.$(1).o): $(BUILD)/obj/%.$(1).o: src/%.c $(BUILD)/flags/$(1) | $(GEN)/observers.list.h
	$(Q)$(CC) $(call ROW_CFLAGS,$(1)) $$(if $$(filter $$(basename $$(basename $$@)),$(RARE)),$(LESS)) -c $$< -o $$@
$(SYSTEMS:%=$(BUILD)/obj/system/compile/kernels/%.$(1).o): $(BUILD)/obj/system/compile/kernels/%.$(1).o: src/system/compile/kernels.c $(BUILD)/flags/$(1) | $(GEN)/catalogue-data.c
	$(Q)$(CC) $(call ROW_CFLAGS,$(1)) $(LESS) -DCST_SYSTEM_HEADER='"$$*.h"' -c $$< -o $$@
endef
$(foreach i,$(sort $(ROWS) portable),$(eval $(call LANE_RULES,$(i))))
$(filter $(COLD:%=$(BUILD)/obj/%/%),$(OBJ_PLAIN)): ALL_CFLAGS += $(if $(SCALAR),,$(COLD_OPT))
$(BUILD)/obj/%.o: src/%.c $(BUILD)/flags/plain
	$(Q)$(CC) $(ALL_CFLAGS) -DCST_VERSION='"$(VERSION)"' -DCST_COMPILER='"$(CC) $(CFLAGS) $(STRICT)"' -c $< -o $@

$(LIBRARY): $(OBJ_PLAIN) $(OBJ_LANE) $(OBJ_KERNELS) $(OBJ_FORMS)
	@rm -f $@
	@ar rcs $@ $^
# The shared library has no commands. It exports the names that the public headers declare.
$(BUILD)/constella.map: tools/exports.sh $(LIBRARY) $(wildcard include/constella/*.h)
	$(Q)tools/exports.sh $(ABI) $(LIBRARY) include/constella/*.h >$@
$(SHARED_LIB): $(BUILD)/constella.map $(filter-out $(BUILD)/obj/cli/% $(BUILD)/obj/gen/bibliography.o,$(OBJ_PLAIN)) $(OBJ_LANE) $(OBJ_KERNELS) $(OBJ_FORMS)
	@echo 'linking $@'
	$(Q)$(CC) $(SANFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,-Bsymbolic,--version-script=$< $(if $(SANFLAGS),,-Wl$(comma)-z$(comma)defs) \
	  $(filter %.o,$^) -o $@ $(PC_LIBS)
$(PROGRAM): $(BUILD)/obj/main.o $(LIBRARY)
	@echo 'linking $@'
	$(Q)$(CC) $(SANFLAGS) -Wl,--build-id $^ -o $@ $(PC_LIBS)

# Cores of each system of the catalogue, compiled beforehand for benchmarks and packages (src/system/compile/forms.c); studies
# compile what they need when they start. v2, for machines from before 2013, would take as long as v3.
FORM_ROWS  ?= $(filter-out v2,$(ROWS))
# Systems that no benchmark and no paper's page times run the general code.
GENERAL_ONLY := chaplygin-sphere forced-oscillator knife-edge pivoted-top turntable van-der-pol
OBJ_FORM     := $(foreach i,$(FORM_ROWS),$(patsubst %,$(BUILD)/forms/%.$(i).so,$(filter-out $(GENERAL_ONLY),$(SYSTEMS))))
.PHONY: forms
forms: all
	@$(MAKE) --no-print-directory -j$(JOBS) $(OBJ_FORM)
$(BUILD)/make-forms: src/system/compile/make-forms.c $(LIBRARY)
	$(Q)$(CC) $(ALL_CFLAGS) $^ -o $@ $(PC_LIBS)
$(OBJ_FORM): $(BUILD)/forms/%.so: $(BUILD)/make-forms
	@mkdir -p $(@D)
	$(Q)$(BUILD)/make-forms $(@D) $(basename $*) $(patsubst .%,%,$(suffix $*))

# The Python package in bytecode, which takes a sixth of the time of a figure to make. The program itself writes
# none: its folder may be another user's.
$(BUILD)/analysis: $(wildcard analysis/constella/*.py analysis/constella/*/*.py)
	@$(PYTHON) -m compileall -q analysis/constella 2>/dev/null || :; touch $@

clean:
	rm -rf $(BUILD) demo

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
include tools/install.mk
-include tests/tests.mk

.PHONY: demo pages pictures format lint
# A line per stage; what they print is in demo/log.
demo:
	@mkdir -p demo; : >demo/log
	@echo 'about 3 minutes on two cores, 2 more where packages are missing; 100 MB for the build, 1.5 GB for the packages'
	@echo 'setting up'; $(MAKE) --no-print-directory setup >>demo/log 2>&1 || { tail -n 20 demo/log >&2; exit 1; }
	@echo 'building (all output: demo/log)'; $(MAKE) --no-print-directory all 9>&2 >>demo/log 2>&1 || { tail -n 20 demo/log >&2; exit 1; }
	@BUILD='$(BUILD)' PYTHON='$(PYTHON)' tools/demo.sh
pages: all
	@$(PYTHON) tools/pages.py $(BUILD)/constella
pictures: all
	@BUILD='$(BUILD)' PYTHON='$(PYTHON)' tools/pictures.sh
format:
	@tools/format.sh
lint: all
	@$(MAKE) --no-print-directory bench-built   # no test does
	@BUILD='$(BUILD)' tools/lint.sh
# SPDX-License-Identifier: BSD-2-Clause
