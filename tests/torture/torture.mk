# SPDX-License-Identifier: GPL-2.0-or-later
# The torture of the core in user space, as programs of one source each: as it is, for i386, under
# sanitizers, and on a platform that is broken on purpose.  Included by the top Makefile.

TORTURE         := $(O)/tests/torture
TORTURE_SOURCES := tests/torture/torture.c tests/torture/torture_run.c
TORTURE_HEADERS := $(wildcard tests/torture/*.h tests/unit/*.h include/strata/*.h include/strata/platform/*.h)
TORTURE_CFLAGS  := -std=gnu11 -D_GNU_SOURCE $(WARNINGS) -g -Iinclude -Itests/unit -Itests/torture
TORTURES        := $(addprefix $(TORTURE)/torture,_plain _i386 _address _thread) $(TORTURE)/torture \
	$(addprefix $(TORTURE)/kill_writer,_one_cpu _threads)

$(TORTURE)/torture:         TORTURE_MODE := -O2
$(TORTURE)/torture_plain:   TORTURE_MODE := -O2 -DSTRATA_TORTURE_PLAIN \
	-DSTRATA_PLATFORM_HEADER='"plain_platform.h"'
$(TORTURE)/torture_address: TORTURE_MODE := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined
# Of a fence the thread sanitizer knows nothing; the torture goes through none.
$(TORTURE)/torture_thread:  TORTURE_MODE := -O1 -fsanitize=thread -Wno-tsan

$(TORTURE)/torture $(TORTURE)/torture_plain $(TORTURE)/torture_address $(TORTURE)/torture_thread: \
	$(TORTURE_SOURCES) $(TORTURE_HEADERS) tests/torture/torture.mk
	@mkdir -p $(@D)
	@echo "  CC      $@"
	@$(CC) $(TORTURE_CFLAGS) $(TORTURE_MODE) $(TORTURE_SOURCES) -o $@ -lcmocka -lpthread

$(TORTURE)/torture_i386: $(TORTURE_SOURCES) $(TORTURE_HEADERS) tests/torture/torture.mk \
	$(O)/build/arch/i386/cmocka.o
	@mkdir -p $(@D)
	@echo "  CC      $@"
	@$(CC_i386) $(TORTURE_CFLAGS) -O2 -isystem $(CMOCKA)/include -static $(TORTURE_SOURCES) \
		$(O)/build/arch/i386/cmocka.o -o $@ -lpthread

$(TORTURE)/kill_writer_one_cpu: TORTURE_MODE := -O2
$(TORTURE)/kill_writer_threads: TORTURE_MODE := -O2 -DSTRATA_WRITERS_SHARE_CPU=0
$(TORTURE)/kill_writer_one_cpu $(TORTURE)/kill_writer_threads: tests/torture/kill_writer.c $(TORTURE_HEADERS) tests/torture/torture.mk
	@mkdir -p $(@D)
	@echo "  CC      $@"
	@$(CC) $(TORTURE_CFLAGS) $(TORTURE_MODE) $< -o $@ -lcmocka

.PHONY: torture tortures soak
tortures: $(TORTURES)

torture: deps-torture
	@$(MAKE) --no-print-directory tortures
	@tests/run.sh torture

soak: deps-soak
	@$(MAKE) --no-print-directory all tortures unit
	@DEATHS_ROUNDS=1000 tests/own_processes.sh tests/unit/test_session_deaths.sh
	@TORTURE_EVENTS=1000000000 tests/run.sh torture lttng
