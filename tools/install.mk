# install.mk: `make install` and `make uninstall`, under PREFIX, with DESTDIR before it for packagers.
# Installing builds nothing, because root may not see the libraries of the build. The program finds its files
# relative to its own path.
PREFIX  ?= /usr/local
DESTDIR ?=
STRIP   ?= strip -g
INTO     = $(DESTDIR)$(PREFIX)
SHARE    = $(INTO)/share/constella
# Everything else is installed below share/constella with its path in the sources, so that the links of the
# README are valid.
INSTALLED_TEXTS := $(wildcard $(foreach d,analysis analysis/* analysis/*/* docs examples examples/* jobs jobs/* jobs/*/*,$(foreach e,c css csv h html ipynb jl js json md png pbs py sge sh slurm toml txt typed yaml,$(d)/*.$(e)))) jobs/verdicts-judged jobs/certify/catalogue jobs/certify/peers jobs/certify/truths jobs/papers/all README.md CHANGELOG.md CITATION.cff LICENSE
INSTALLED_FILES := bin/constella lib/libconstella.a lib/libconstella.so lib/$(SONAME) lib/$(notdir $(SHARED_LIB)) lib/pkgconfig/constella.pc share/man/man1/constella.1 share/bash-completion/completions/constella

# Where a Python finds the package: the folder of that Python below PREFIX which Debian's looks into, a link
# to what is installed.
PYTHON_PACKAGES = lib/python$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || echo 3)/dist-packages

.PHONY: install uninstall
# The shared library needs no other library when linking; `archive` and `behind` are for the static one
# (docs/library.md).
$(BUILD)/constella.pc: $(LIBRARY) tools/install.mk
	@{ echo 'prefix=$(PREFIX)'; \
	  echo 'libdir=$${prefix}/lib'; \
	  echo 'archive=$${libdir}/libconstella.a'; \
	  echo 'behind=$(SANFLAGS) $(PC_LIBS)'; \
	  echo 'Name: constella'; \
	  echo 'Description: Structure-preserving integrators for constrained mechanical systems'; \
	  echo 'Version: $(RELEASE)'; \
	  echo 'Cflags: -I$${prefix}/include $(MPI_CFLAGS) $(SLEEF_CFLAGS)'; \
	  echo 'Libs: -L$${libdir} -Wl,-rpath,$${libdir} $(SANFLAGS) -lconstella'; \
	  echo 'Libs.private: $${behind}'; } >$@

install:
	@[ -x $(PROGRAM) ] && [ -r $(BUILD)/constella.pc ] && [ -r $(SHARED_LIB) ] || { echo 'constella: nothing is built in $(BUILD); run `make` first' >&2; exit 1; }
	@install -d $(sort $(dir $(INSTALLED_FILES:%=$(INTO)/%) $(INSTALLED_TEXTS:%=$(SHARE)/%))) $(INTO)/include/constella
	@install $(PROGRAM) $(INTO)/bin && $(STRIP) $(INTO)/bin/constella
	@install -m 644 $(LIBRARY) $(INTO)/lib && $(STRIP) $(INTO)/lib/libconstella.a
	@install -m 644 $(SHARED_LIB) $(INTO)/lib && $(STRIP) $(INTO)/lib/$(notdir $(SHARED_LIB))
	@ln -sf $(notdir $(SHARED_LIB)) $(INTO)/lib/$(SONAME) && ln -sf $(SONAME) $(INTO)/lib/libconstella.so
	@install -m 644 include/constella/*.h $(INTO)/include/constella
	@sed 's|^prefix=.*|prefix=$(PREFIX)|' $(BUILD)/constella.pc >$(INTO)/lib/pkgconfig/constella.pc
	@$(PROGRAM) help all | tools/manual.sh $(RELEASE) >$(INTO)/share/man/man1/constella.1
	@$(PROGRAM) help all | tools/completion.sh >$(INTO)/share/bash-completion/completions/constella
	@[ ! -d $(BUILD)/forms ] || { install -d $(INTO)/lib/constella/forms && install -m 644 $(BUILD)/forms/* $(INTO)/lib/constella/forms; }
	@install -d $(INTO)/$(PYTHON_PACKAGES) && ln -sfn ../../../share/constella/analysis/constella $(INTO)/$(PYTHON_PACKAGES)/constella
	@cp --parents --remove-destination $(INSTALLED_TEXTS) $(SHARE)
	@chmod 644 $(INSTALLED_TEXTS:%=$(SHARE)/%)
	@for f in $(INSTALLED_TEXTS); do [ ! -x $$f ] || echo $(SHARE)/$$f; done | xargs -r chmod 755
	@$(PYTHON) -m compileall -q -s '$(DESTDIR)' $(SHARE)/analysis/constella 2>/dev/null || :
	@echo 'installed into $(INTO)'

uninstall:
	@rm -f $(INSTALLED_FILES:%=$(INTO)/%) $(INTO)/$(PYTHON_PACKAGES)/constella
	@rm -rf $(INTO)/include/constella $(INTO)/lib/constella $(SHARE)
# SPDX-License-Identifier: BSD-2-Clause
