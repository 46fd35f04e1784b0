# SPDX-License-Identifier: GPL-2.0-or-later
# Strata: one timeline across a Xen hypervisor, its guests and dom0.
#
#   make demo     all set-up, then the main job on a real Xen in QEMU
#   make check    all set-up, then every test
#   make quick    what one runs before each commit: under a minute, no QEMU
#   make model    Spin searches the models of the ring, exhaustively
#   make attack   users and guests that attack the recorder and each other
#   make browser  the page of strata timeline in Chromium
#   make arch     the core on five other processors, under QEMU's user mode
#   make soak     a billion events of threads that torture the core's rings, more interleavings, two
#                 machines traced by LTTng, and a thousand deaths of daemons and programs
#   make fuzz     a million lies of guests, and of dom0, with a seed of the time
#   make mutants  small bugs, made on purpose in a copy of the tree: the tests must notice each
#   make fuzz-parsers  files that lie to the merger, FUZZ_SECONDS for each parser

O      := out
PREFIX ?= /usr/local
JOBS   := -j$(shell nproc)

CC       ?= gcc
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wvla -Werror
CFLAGS   ?= -O2 -g
STRATA_CFLAGS := -std=gnu11 -D_GNU_SOURCE $(WARNINGS) -fPIE -fstack-protector-strong -Iinclude \
	-Imerge -Idom0-tools
# merge/ stands below dom0-tools/, and sees nothing of it.
MERGE_CFLAGS   = $(filter-out -Idom0-tools,$(STRATA_CFLAGS))
XEN_LIBS := xencall xenforeignmemory xengnttab xenevtchn xenstore xentoollog
LIBS      = $(shell pkg-config --libs $(XEN_LIBS) json-c zlib libmicrohttpd libmd)

SOURCES      := $(wildcard dom0-tools/strata/*.c dom0-tools/strata/*/*.c dom0-tools/stratad/*.c dom0-tools/stratad/*/*.c \
	dom0-tools/control/*.c dom0-tools/control/*/*.c dom0-tools/consumerd/*.c dom0-tools/consumerd/*/*.c merge/*/*.c merge/*/*/*.c)
APP_SOURCES  := $(wildcard dom0-tools/libstrata/*.c)
APP_LIBRARY  := $(O)/lib/libstrata.so $(O)/lib/libstrata.a
CONTROL_LIBRARY := $(O)/lib/libstrata-control.so $(O)/lib/libstrata-control.a
OBJECTS      := $(SOURCES:%.c=$(O)/build/%.o)
MAIN_OBJECT  := $(O)/build/dom0-tools/strata/main.o
# A program of its own: what it links with is nothing to the others.
SQL_SOURCES  := $(wildcard dom0-tools/strata_sql/*.c)
SQL_LIBS     := -lsqlite3 -ledit
DAEMONS      := $(O)/bin/stratad $(O)/bin/strata-consumerd
# A part is an archive: each needs those behind it only, which is the order to link them in.
PARTS        := strata stratad control consumerd merge
LIBRARY      := $(PARTS:%=$(O)/build/%.a)
TEST_HELPERS := $(filter-out tests/unit/test_%.c,$(wildcard tests/unit/*.c))
TEST_LIBRARY := $(O)/build/libtests.a
FUZZ         := $(O)/tests/fuzz
UNIT_TESTS   := $(patsubst tests/unit/%.c,$(O)/tests/%,$(wildcard tests/unit/test_*.c))

C_FILES       = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')
LINUX_STYLE   = $(filter-out xen-patch/% include/strata/platform/xen.h,$(C_FILES))
SHELL_FILES   = $(shell git ls-files --cached --others --exclude-standard | \
	xargs grep -lE '^\#!/bin/(ba)?sh' -- )

.PHONY: all deps tools test-programs xen xen-tests kmod images demo check check-programs quick fuzz bench bench-papers install install-units clean format lint unit model attack browser
.DELETE_ON_ERROR:

all: deps-all
	@$(MAKE) --no-print-directory $(JOBS) tools
	@$(MAKE) --no-print-directory xen
	@$(MAKE) --no-print-directory $(JOBS) kmod

# Each target installs the packages that it needs, and no others.
deps: deps-check
	@echo "deps: all packages are there"

deps-%:
	@tests/deps.sh $*

# The strata command --------------------------------------------------------------------------

# What is compiled waits for the packages; a second make beside this one would write the same files.
tools: deps-tools $(O)/bin/strata $(O)/bin/strata-sql $(DAEMONS) $(APP_LIBRARY) $(CONTROL_LIBRARY)

include dom0-tools/timeline/timeline.mk

$(O)/bin/strata: $(MAIN_OBJECT) $(LIBRARY)
	@mkdir -p $(@D)
	@echo "  LD      $@"
	@$(CC) $(CFLAGS) -pie $^ -o $@ $(LIBS)

$(O)/bin/strata-sql: $(SQL_SOURCES:%.c=$(O)/build/%.o) $(LIBRARY)
	@mkdir -p $(@D)
	@echo "  LD      $@"
	@$(CC) $(CFLAGS) -pie $^ -o $@ $(SQL_LIBS) $(LIBS)

$(O)/bin/stratad: $(O)/build/dom0-tools/programs/stratad.o
$(O)/bin/strata-consumerd: $(O)/build/dom0-tools/programs/strata_consumerd.o
$(DAEMONS): $(LIBRARY)
	@mkdir -p $(@D)
	@echo "  LD      $@"
	@$(CC) $(CFLAGS) -pie $(filter %.o,$^) $(LIBRARY) -o $@ -lpthread $(LIBS)

objects_of    = $(filter $(O)/build/$(1)/%,$(filter-out $(MAIN_OBJECT),$(OBJECTS)))

$(O)/build/merge.a: $(call objects_of,merge)
$(foreach part,$(filter-out merge,$(PARTS)),$(eval $(O)/build/$(part).a: $(call objects_of,dom0-tools/$(part))))
$(O)/build/strata.a: $(PAGE_OBJECT)
$(LIBRARY):
	@echo "  AR      $@"
	@mkdir -p $(@D)
	@rm -f $@ && ar rcs $@ $^

$(O)/build/merge/%.o: merge/%.c Makefile | deps-tools
	@mkdir -p $(@D)
	@echo "  CC      $<"
	@$(CC) $(MERGE_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(O)/build/%.o: %.c Makefile | deps-tools
	@mkdir -p $(@D)
	@echo "  CC      $<"
	@$(CC) $(STRATA_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

-include $(OBJECTS:.o=.d) $(SQL_SOURCES:%.c=$(O)/build/%.d) $(wildcard $(O)/build/dom0-tools/programs/*.d)

# What applications are linked with ------------------------------------------------------------

$(O)/lib/%.o: dom0-tools/libstrata/%.c Makefile | deps-tools
	@mkdir -p $(@D)
	@echo "  CC      $<"
	@$(CC) $(filter-out -fPIE,$(STRATA_CFLAGS)) -fPIC $(CFLAGS) -MMD -MP -c $< -o $@

APP_SYMBOLS  := dom0-tools/libstrata/libstrata.map
# The number rises with each change to what a compiled program has of strata/tracepoint.h.
APP_SONAME   := libstrata.so.3

$(O)/lib/libstrata.so: $(APP_SOURCES:dom0-tools/libstrata/%.c=$(O)/lib/%.o) $(APP_SYMBOLS)
	@echo "  LD      $@"
	@$(CC) $(CFLAGS) -shared -Wl,-soname,$(APP_SONAME) -Wl,--version-script,$(APP_SYMBOLS) \
		$(filter %.o,$^) -o $@ -lpthread
	@ln -sf libstrata.so $(@D)/$(APP_SONAME)

# One object, so that what its parts share can be local.
$(O)/lib/libstrata.a: $(APP_SOURCES:dom0-tools/libstrata/%.c=$(O)/lib/%.o)
	@echo "  AR      $@"
	@$(CC) -r -nostdlib $^ -o $(@D)/libstrata-whole.o
	@objcopy --wildcard --keep-global-symbol='strata_app_*' $(@D)/libstrata-whole.o
	@rm -f $@ && ar rcs $@ $(@D)/libstrata-whole.o

-include $(APP_SOURCES:dom0-tools/libstrata/%.c=$(O)/lib/%.d)

# What controls sessions (docs/control-library.md) ---------------------------------------------

CONTROL_SOURCES := $(wildcard dom0-tools/control/*.c dom0-tools/control/library/*.c) \
	dom0-tools/consumerd/host/peer_user.c dom0-tools/consumerd/host/run_dir_path.c merge/recording/header_form.c \
	$(addprefix merge/base/,complaints.c error.c escape.c json_members.c)
CONTROL_OBJECTS := $(CONTROL_SOURCES:%.c=$(O)/lib/control/%.o)
CONTROL_SYMBOLS := dom0-tools/control/library/libstrata-control.map
# The number rises with each change to what a compiled program has of strata/control_client.h and control.h.
CONTROL_VERSION := 2
CONTROL_SONAME  := libstrata-control.so.$(CONTROL_VERSION)

$(O)/lib/control/%.o: %.c Makefile | deps-tools
	@mkdir -p $(@D)
	@echo "  CC      $< (control library)"
	@$(CC) $(filter-out -fPIE,$(STRATA_CFLAGS)) -fPIC -fvisibility=hidden -ffunction-sections $(CFLAGS) -MMD -MP -c $< -o $@

$(O)/lib/libstrata-control.so: $(CONTROL_OBJECTS) $(CONTROL_SYMBOLS)
	@echo "  LD      $@"
	@$(CC) $(CFLAGS) -shared -Wl,-soname,$(CONTROL_SONAME) -Wl,--version-script,$(CONTROL_SYMBOLS) -Wl,--gc-sections \
		-Wl,-z,defs $(CONTROL_OBJECTS) -o $@ $(shell pkg-config --libs json-c)
	@ln -sf libstrata-control.so $(@D)/$(CONTROL_SONAME)

# One object, like libstrata.a.
$(O)/lib/libstrata-control.a: $(CONTROL_OBJECTS)
	@echo "  AR      $@"
	@$(CC) -r -nostdlib $^ -o $(@D)/libstrata-control-whole.o
	@objcopy --wildcard --keep-global-symbol='strata_control_*' $(@D)/libstrata-control-whole.o
	@rm -f $@ && ar rcs $@ $(@D)/libstrata-control-whole.o

-include $(CONTROL_OBJECTS:.o=.d)

# The hypervisor and the module ---------------------------------------------------------------

xen: deps-xen
	@xen-patch/build.sh

# Also the one for tests, which can flood itself with NMIs.
xen-tests: deps-xen
	@xen-patch/build.sh --test

kmod: deps-kmod
	@$(MAKE) --no-print-directory -C guest-kmod

# Tests ---------------------------------------------------------------------------------------

$(TEST_LIBRARY): $(TEST_HELPERS:%.c=$(O)/build/%.o)
	@mkdir -p $(@D)
	@rm -f $@ && ar rcs $@ $^

# They compile files of the hypervisor's.
$(patsubst %.c,$(O)/build/%.o,$(wildcard tests/unit/test_*_xen.c)): \
	STRATA_CFLAGS += -Itests/unit/xen_shim -Ixen-patch/src/include

# And of the module's.
$(patsubst %.c,$(O)/build/%.o,$(wildcard tests/unit/test_*_kmod.c)): \
	STRATA_CFLAGS += -Itests/unit/linux_shim -Wno-pointer-arith -Wno-conversion

$(O)/tests/%: $(O)/build/tests/unit/%.o $(TEST_LIBRARY) $(LIBRARY)
	@mkdir -p $(@D)
	@echo "  LD      $@"
	@$(CC) $(CFLAGS) -pie $^ -o $@ -lcmocka -lpthread -lm $(TEST_LIBS) $(LIBS)

$(O)/tests/test_sql_interrupt $(O)/tests/test_sql_conditions: TEST_LIBS := $(SQL_LIBS)

.PRECIOUS: $(O)/build/%.o $(FUZZ)/%.o
-include $(patsubst %.c,$(O)/build/%.d,$(wildcard tests/unit/*.c))

# Applications, and what lies to the recorder (tests/unit/test_app_record.sh).
APP_TESTS := $(O)/tests/app/program $(O)/tests/app/levels $(O)/tests/app/messages $(O)/tests/app/liar $(O)/tests/app/slow_recorder $(O)/tests/app/library.so

$(O)/tests/app/library.so: tests/unit/app/library.cc $(APP_LIBRARY) Makefile
	@mkdir -p $(@D)
	@echo "  LD      $@"
	@$(CXX) -std=c++11 -Wall -Wextra -Werror -Iinclude -fPIC -O0 -shared $< -o $@ \
		-L$(O)/lib -lstrata -Wl,-rpath,$(abspath $(O)/lib)

# Command and daemon as a build for another version of the hypervisor's ABI, which one file knows (tests/xen/test_faults.sh).
$(O)/tests/other_abi/strata_sysctl.o: dom0-tools/consumerd/xen/strata_sysctl.c include/strata/abi/hypervisor.h Makefile
	@mkdir -p $(@D)
	@echo "  CC      $< (another ABI)"
	@$(CC) $(STRATA_CFLAGS) -DSTRATA_HV_ABI_VERSION=99u $(CFLAGS) -c $< -o $@

$(O)/tests/other_abi/strata: $(MAIN_OBJECT) $(O)/tests/other_abi/strata_sysctl.o $(LIBRARY)
	@echo "  LD      $@"
	@$(CC) $(CFLAGS) -pie $^ -o $@ $(LIBS)

$(O)/tests/other_abi/stratad: $(O)/build/dom0-tools/programs/stratad.o $(O)/tests/other_abi/strata_sysctl.o $(LIBRARY)
	@echo "  LD      $@"
	@$(CC) $(CFLAGS) -pie $^ -o $@ -lpthread $(LIBS)

# What attacks the recorder and other users (tests/attack).
ATTACKS := $(patsubst tests/attack/%.c,$(O)/tests/attack/%,$(wildcard tests/attack/*.c)) \
	$(patsubst tests/attack/preload/%.c,$(O)/tests/attack/%.so,$(wildcard tests/attack/preload/*.c))

$(O)/tests/attack/%.so: tests/attack/preload/%.c Makefile
	@mkdir -p $(@D)
	@echo "  LD      $@"
	@$(CC) $(STRATA_CFLAGS) $(CFLAGS) -fPIC -shared $< -o $@ -ldl

# A program of several files has those besides the first in a directory of its name.
$(O)/tests/attack/hostile: $(wildcard tests/attack/hostile/*)

$(O)/tests/attack/%: tests/attack/%.c $(APP_LIBRARY) Makefile tests/raw_app.h \
		$(wildcard tests/attack/*.h) $(wildcard include/strata/*.h include/strata/*/*.h)
	@mkdir -p $(@D)
	@echo "  LD      $@"
	@$(CC) $(STRATA_CFLAGS) $(CFLAGS) -pie $(filter tests/attack/%.c,$^) -o $@ -L$(O)/lib -lstrata -lpthread -ldl

$(O)/tests/app/%: tests/unit/app/%.c $(APP_LIBRARY) Makefile tests/raw_app.h $(wildcard include/strata/*.h include/strata/*/*.h)
	@mkdir -p $(@D)
	@echo "  LD      $@"
	@$(CC) $(STRATA_CFLAGS) $(CFLAGS) -pie $< -o $@ -L$(O)/lib -lstrata -lpthread -ldl \
		-Wl,-rpath,$(abspath $(O)/lib)

# A user of the control library, with it under sanitizers (tests/unit/test_control_library.sh).
CONTROL_TESTS := $(O)/tests/control/client

$(O)/tests/control/client: tests/unit/control/client.c $(CONTROL_OBJECTS)
	@mkdir -p $(@D)
	@echo "  LD      $@"
	@$(CC) $(STRATA_CFLAGS) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined $< $(CONTROL_SOURCES) \
		-pie -o $@ -lpthread $(shell pkg-config --libs json-c)

# What tests that are scripts run.
test-programs: $(APP_TESTS) $(CONTROL_TESTS)

unit: $(UNIT_TESTS) test-programs $(ATTACKS)

# The recorder and the core's writer under sanitizers, against a host that is not there (tests/fuzz).
FUZZ_CFLAGS  := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined -fno-builtin-memcpy -Itests/fuzz -include tests/fuzz/hostile_platform.h \
	-DSOURCES_RINGS_PER_TURN=1u
FUZZ_WRAPPED := poll nanosleep clock_gettime time access memcpy bind unlink fstatvfs
FUZZ_SOURCES := $(filter-out %/main.c %/run_lock.c %/run_dir.c %/worker.c %/stderr_queue.c %/grant_call.c merge/sql/% dom0-tools/stratad/sessions/%,$(SOURCES)) \
	$(filter-out tests/fuzz/fuzz_%.c,$(wildcard tests/fuzz/*.c))

$(FUZZ)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC      $< (fuzz)"
	@$(CC) $(STRATA_CFLAGS) $(FUZZ_CFLAGS) -MMD -MP -c $< -o $@

$(FUZZ)/fuzz_recorder: $(FUZZ)/tests/fuzz/fuzz_recorder.o $(FUZZ_SOURCES:%.c=$(FUZZ)/%.o) $(PAGE_OBJECT)
	@echo "  LD      $@"
	@$(CC) $(FUZZ_CFLAGS) -pie $^ -o $@ $(FUZZ_WRAPPED:%=-Wl,--wrap=%) -lpthread \
		$(shell pkg-config --libs json-c zlib libmicrohttpd libmd)

$(FUZZ)/fuzz_writer: $(FUZZ)/tests/fuzz/fuzz_writer.o $(FUZZ)/tests/fuzz/watchdog.o
	@echo "  LD      $@"
	@$(CC) $(FUZZ_CFLAGS) -pie $^ -o $@ -lpthread

FUZZ_TESTS := $(patsubst tests/fuzz/%.c,$(FUZZ)/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SEED  ?= $(shell date +%s)

fuzz: deps-fuzz
	@$(MAKE) --no-print-directory $(FUZZ_TESTS)
	@for test in $(FUZZ_TESTS); do $$test --mutations 1000000 --seed $(FUZZ_SEED) || exit 1; done

-include $(patsubst %.c,$(FUZZ)/%.d,$(SOURCES) $(wildcard tests/fuzz/*.c))

model: deps-model
	@tests/run.sh model

# Not in `make check`: an hour on two CPUs.  MUTANTS=WORD takes those whose line holds it.
.PHONY: mutants
mutants: deps-mutants
	@$(MAKE) --no-print-directory $(JOBS) tools unit
	@tests/mutants/run.py $(MUTANTS)

include tests/fuzz/parsers/parsers.mk
include tests/arch/arch.mk
include tests/torture/torture.mk
include tests/check/check.mk

quick: deps-quick
	@$(MAKE) --no-print-directory $(JOBS) tools unit
	@$(MAKE) --no-print-directory -j2 --output-sync lint brief

.PHONY: brief
brief:
	@MAKEFLAGS= tests/run.sh brief

browser: deps-browser
	@$(MAKE) --no-print-directory tools
	@tests/run.sh browser

attack: deps-attack
	@$(MAKE) --no-print-directory tools unit
	@tests/run.sh attack

# What the tests need that boot no host: built while the first hosts run.
check-programs: unit $(FUZZ_TESTS) arch-programs tortures checkers

check: deps-check
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory $(JOBS) xen-tests
	@RECOVER_ROUNDS=5 LIVES_DRAWN=60000 tests/run.sh xen --build check-programs model check arch fuzz browser unit torture attack

demo: deps-demo
	@$(MAKE) --no-print-directory all
	@tests/xen/demo.sh

bench: deps-bench
	@$(MAKE) --no-print-directory all
	@tests/bench/run.sh

bench-papers: deps-bench-papers
	@$(MAKE) --no-print-directory all
	@tests/bench/papers/run.sh

# The house -----------------------------------------------------------------------------------

# Where Debian's Python looks for modules.
PYTHON_VERSION = $(shell python3 -c 'import sys; print(sys.version_info[1])' 2>/dev/null)
PYTHON_DIR    ?= $(PREFIX)/lib/python3$(if $(filter-out /usr,$(PREFIX)),.$(PYTHON_VERSION))/dist-packages

install: tools install-units
	install -D -m 0755 $(O)/bin/strata $(DESTDIR)$(PREFIX)/bin/strata
	install -m 0755 $(O)/bin/strata-sql $(DAEMONS) $(DESTDIR)$(PREFIX)/bin/
	install -D -m 0644 dom0-tools/tmpfiles.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/strata.conf
	install -D -m 0644 $(O)/lib/libstrata.so $(DESTDIR)$(PREFIX)/lib/$(APP_SONAME)
	ln -sf $(APP_SONAME) $(DESTDIR)$(PREFIX)/lib/libstrata.so
	install -m 0644 $(O)/lib/libstrata.a $(DESTDIR)$(PREFIX)/lib/libstrata.a
	install -m 0644 $(O)/lib/libstrata-control.so $(DESTDIR)$(PREFIX)/lib/$(CONTROL_SONAME)
	ln -sf $(CONTROL_SONAME) $(DESTDIR)$(PREFIX)/lib/libstrata-control.so
	install -m 0644 $(O)/lib/libstrata-control.a $(DESTDIR)$(PREFIX)/lib/libstrata-control.a
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(CONTROL_VERSION)|' dom0-tools/control/library/libstrata-control.pc.in \
		>$(DESTDIR)$(PREFIX)/lib/pkgconfig/libstrata-control.pc
	install -d $(DESTDIR)$(PYTHON_DIR)/strata
	install -m 0644 dom0-tools/python/strata/*.py $(DESTDIR)$(PYTHON_DIR)/strata/
	install -d $(DESTDIR)$(PREFIX)/include/strata/platform $(DESTDIR)$(PREFIX)/include/strata/abi
	cd include && for f in strata/*.h strata/*/*.h; do \
		install -m 0644 $$f $(DESTDIR)$(PREFIX)/include/$$f; done

# SYSTEMD_DIR/system and SYSTEMD_DIR/user.  `systemctl enable --now stratad.socket` has systemd listen.
SYSTEMD_DIR ?= $(PREFIX)/lib/systemd

install-units:
	install -d $(DESTDIR)$(SYSTEMD_DIR)/system $(DESTDIR)$(SYSTEMD_DIR)/user
	install -m 0644 dom0-tools/systemd/stratad.socket $(DESTDIR)$(SYSTEMD_DIR)/system/stratad.socket
	install -m 0644 dom0-tools/systemd/stratad-user.socket $(DESTDIR)$(SYSTEMD_DIR)/user/stratad.socket
	sed 's|@PREFIX@|$(PREFIX)|' dom0-tools/systemd/stratad.service.in >$(DESTDIR)$(SYSTEMD_DIR)/system/stratad.service
	sed 's|@PREFIX@|$(PREFIX)|' dom0-tools/systemd/stratad-user.service.in >$(DESTDIR)$(SYSTEMD_DIR)/user/stratad.service

format:
	@clang-format -i $(LINUX_STYLE)

lint: deps-lint
	@clang-format --dry-run -Werror $(LINUX_STYLE)
	@tests/lint/layers.py
	@! git grep -nE '^(<<<<<<<|>>>>>>>) ' || { echo "  LINT    marks of a merge conflict are left"; exit 1; }
	@printf '%s\n' $(SHELL_FILES) | xargs -P $(shell nproc) -n 8 shellcheck -x
	@$(MAKE) --no-print-directory lint-page
	@echo "  LINT    $(words $(LINUX_STYLE)) C files, $(words $(SHELL_FILES)) scripts: nothing to say"

clean:
	rm -rf $(O)/build $(O)/bin $(O)/lib $(O)/tests $(O)/kmod
