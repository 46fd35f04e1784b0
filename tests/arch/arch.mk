# SPDX-License-Identifier: GPL-2.0-or-later
# The core on other processors: its unit tests, and a program that writes a trace, built with
# Debian's cross compilers and run under QEMU's user mode.  Included by the top Makefile.
#
# The names are QEMU's.  What UBSan finds ends the program: above all words that are not aligned,
# which an emulator forgives.

ARCHES     := aarch64 arm riscv64 s390x i386
CC_aarch64 := aarch64-linux-gnu-gcc
CC_arm     := arm-linux-gnueabihf-gcc
CC_riscv64 := riscv64-linux-gnu-gcc
CC_s390x   := s390x-linux-gnu-gcc
CC_i386    := i686-linux-gnu-gcc

CMOCKA        := $(O)/cache/cmocka/tree
CMOCKA_CONFIG := $(addprefix -DHAVE_,MALLOC_H INTTYPES_H SIGNAL_H STRINGS_H STRSIGNAL SIGLONGJMP \
	GCC_THREAD_LOCAL_STORAGE CLOCK_REALTIME STRUCT_TIMESPEC)
ARCH_CFLAGS   := -std=gnu11 -D_GNU_SOURCE $(WARNINGS) -O2 -g -Iinclude -Imerge -Idom0-tools \
	-isystem $(CMOCKA)/include -DLIVES_DRAWN=500 -DROUNDS=2000u -DSIGNAL_NS=60000 \
	-fsanitize=undefined -fsanitize-undefined-trap-on-error

# A signal comes between two blocks of an emulator and never inside one, so the control
# (test_ring_control) has nothing to find there.
ARCH_TESTS   := core_freestanding ring_state ring_boundary ring_clock ring_home ring_lies ring_nested \
	ring_overwrite ring_interrupted ring_interrupted_headers ring_interrupted_overwrite \
	ring_threads ring_signals merge_packet event_table user_clock
# 128-bit arithmetic, which compilers have for processors of 64 bits.
WIDE_TESTS   := clock_arithmetic
WIDE_ARCHES  := aarch64 riscv64 s390x
# What writes and checks a trace, of the recorder.
ARCH_SOURCES := $(addprefix merge/,recording/recording.c recording/guest_numbers.c recording/header_form.c base/complaints.c base/error.c base/escape.c base/put_text.c \
	files/apart.c files/out_file.c files/safe_dir.c files/safe_walk.c ctf/write/tsdl.c ctf/write/ctf_write_metadata.c \
	ctf/write/ctf_write_tsdl.c ctf/types/ctf_arena.c ctf/types/ctf_event_types.c ctf/types/ctf_places.c \
	ctf/types/ctf_scopes.c recording/recorded_types.c \
	recording/ctf_metadata.c recording/kernel_context.c ctf/types/ctf_formats.c xen/xen_events.c xen/xen_event_table.c) \
	$(addprefix dom0-tools/consumerd/,packets/packet_check.c drain/stream_file.c rings/event_table.c)

$(CMOCKA)/src/cmocka.c:
	@tests/arch/cmocka.sh

define ARCH_RULES
ARCH_PROGRAMS += $(patsubst %,$(O)/tests/arch/$(1)/test_%,$(ARCH_TESTS)) \
	$(if $(filter $(1),$(WIDE_ARCHES)),$(patsubst %,$(O)/tests/arch/$(1)/test_%,$(WIDE_TESTS))) \
	$(O)/tests/arch/$(1)/write_trace

$(O)/build/arch/$(1)/%.o: %.c Makefile tests/arch/arch.mk | $(CMOCKA)/src/cmocka.c
	@mkdir -p $$(@D)
	@echo "  CC      $$< ($(1))"
	@$$(CC_$(1)) $$(ARCH_CFLAGS) -MMD -MP -c $$< -o $$@

$(O)/build/arch/$(1)/cmocka.o: $(CMOCKA)/src/cmocka.c
	@mkdir -p $$(@D)
	@$$(CC_$(1)) -D_GNU_SOURCE -O2 $$(CMOCKA_CONFIG) -I$(CMOCKA)/include -c $$< -o $$@

$(O)/build/arch/$(1)/libstrata.a: $(ARCH_SOURCES:%.c=$(O)/build/arch/$(1)/%.o)
	@rm -f $$@ && ar rcs $$@ $$^

$(O)/tests/arch/$(1)/test_%: $(O)/build/arch/$(1)/tests/unit/test_%.o $(O)/build/arch/$(1)/cmocka.o \
	$(O)/build/arch/$(1)/libstrata.a
	@mkdir -p $$(@D)
	@$$(CC_$(1)) -static $$^ -o $$@ -lpthread -lm

$(O)/tests/arch/$(1)/write_trace: $(O)/build/arch/$(1)/tests/arch/write_trace.o \
	$(O)/build/arch/$(1)/libstrata.a
	@mkdir -p $$(@D)
	@$$(CC_$(1)) -static $$^ -o $$@

.PRECIOUS: $(O)/build/arch/$(1)/%.o
-include $$(shell find $(O)/build/arch/$(1) -name '*.d' 2>/dev/null)
endef

$(foreach arch,$(ARCHES),$(eval $(call ARCH_RULES,$(arch))))

# The same trace as this machine writes it.
ARCH_PROGRAMS += $(O)/tests/arch/write_trace
$(O)/tests/arch/write_trace: $(O)/build/tests/arch/write_trace.o $(LIBRARY)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) -pie $^ -o $@ $(LIBS)

.PHONY: arch arch-programs
arch-programs: $(ARCH_PROGRAMS)

arch: deps-arch
	@$(MAKE) --no-print-directory arch-programs
	@tests/run.sh arch
