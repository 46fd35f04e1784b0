# SPDX-License-Identifier: GPL-2.0-or-later
# What reads others' files, under libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer: each
# fuzz_NAME.c of this directory is a program, linked with all of merge/ and the model of sessions, that begins with the files
# of tests/fuzz/corpus/NAME.
#
#   make fuzz-parsers                     each for FUZZ_SECONDS (60)
#   out/tests/parsers/fuzz_NAME FILE      one input once more
#
# What it finds is kept in out/tests/parsers/, as crash-..., timeout-... or oom-...

CLANG          ?= clang
FUZZ_SECONDS   ?= 60
PARSERS        := $(O)/tests/parsers
PARSER_CFLAGS  := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=undefined
PARSER_OBJECTS := $(patsubst %.c,$(PARSERS)/%.o,$(wildcard merge/*/*.c merge/*/*/*.c dom0-tools/control/*.c))
PARSER_TESTS   := $(patsubst tests/fuzz/parsers/%.c,$(PARSERS)/%,$(wildcard tests/fuzz/parsers/fuzz_*.c))

$(PARSERS)/%.o: %.c Makefile tests/fuzz/parsers/parsers.mk
	@mkdir -p $(@D)
	@echo "  CC      $< (parsers)"
	@$(CLANG) $(STRATA_CFLAGS) $(PARSER_CFLAGS) -MMD -MP -c $< -o $@

$(PARSERS)/libmerge.a: $(PARSER_OBJECTS)
	@rm -f $@ && ar rcs $@ $^

$(PARSERS)/fuzz_%: $(PARSERS)/tests/fuzz/parsers/fuzz_%.o $(PARSERS)/libmerge.a
	@echo "  LD      $@"
	@$(CLANG) -pie -fsanitize=fuzzer,address,undefined $^ -o $@ $(shell pkg-config --libs json-c libmd)

.PRECIOUS: $(PARSERS)/%.o
.PHONY: fuzz-parsers
fuzz-parsers: deps-fuzz-parsers
	@$(MAKE) --no-print-directory $(PARSER_TESTS)
	@for test in $(PARSER_TESTS); do \
		name=$${test##*/fuzz_}; \
		mkdir -p $(PARSERS)/corpus/$$name; \
		echo "  FUZZ    $$name, $(FUZZ_SECONDS) s"; \
		$$test -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=1024 -print_final_stats=1 \
			-verbosity=0 -artifact_prefix=$(PARSERS)/ $(PARSERS)/corpus/$$name \
			tests/fuzz/corpus/$$name || exit 1; \
	done

-include $(PARSER_OBJECTS:.o=.d) $(patsubst %.c,$(PARSERS)/%.d,$(wildcard tests/fuzz/parsers/*.c))
