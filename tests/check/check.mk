# SPDX-License-Identifier: GPL-2.0-or-later
# The checker of interleavings (tests/check).  The programs are compiled with -fsanitize=thread
# and linked without its library: what it announces are the steps.  Included by the top Makefile.

CHECK          := $(O)/tests/check
CHECK_CFLAGS   := -std=gnu11 -D_GNU_SOURCE $(WARNINGS) -O2 -g -Iinclude -Itests/unit -Itests/check \
	-DSTRATA_PLATFORM_HEADER='"check_platform.h"'
CHECK_EXPLORER := $(addprefix $(CHECK)/,explore.o print.o agents.o memory.o operations.o)
CHECK_TESTS    := $(patsubst tests/check/%.c,$(CHECK)/%,$(wildcard tests/check/test_*.c))
CHECK_HEADERS  := $(wildcard tests/check/*.h tests/unit/*.h include/strata/*.h include/strata/platform/*.h)

# A loop that became a call of memset would go by unseen.
$(CHECK)/test_%.o: CHECK_CFLAGS += -fsanitize=thread -fno-builtin -fno-tree-loop-distribute-patterns

# It is of the recorder's own file.
$(CHECK)/test_check_live.o: CHECK_CFLAGS += -Imerge -Idom0-tools
$(CHECK)/test_check_live.o: dom0-tools/consumerd/live_publisher.c merge/live/live_table.h
$(CHECK)/test_check_live: $(LIBRARY)

$(CHECK)/%.o: tests/check/%.c $(CHECK_HEADERS) tests/check/check.mk
	@mkdir -p $(@D)
	@echo "  CC      $< (check)"
	@$(CC) $(CHECK_CFLAGS) -c $< -o $@

$(CHECK)/test_%: $(CHECK)/test_%.o $(CHECK_EXPLORER)
	@echo "  LD      $@"
	@$(CC) $^ -o $@ -lcmocka

.PRECIOUS: $(CHECK)/%.o
.PHONY: checkers soak-check
checkers: $(CHECK_TESTS)

soak-check: checkers
	@CHECK_DEEP=3000000 tests/run.sh check

soak: soak-check
