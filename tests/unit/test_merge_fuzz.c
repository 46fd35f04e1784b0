// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge_fuzz.c - a recording damaged at random, again and again: `strata
 * merge`, and `strata convert` to Trace Compass's form, must end with one of their statuses,
 * within a limit of time, and what they write must hold together.  With the sanitizers it also
 * finds every look beyond a buffer.
 *
 * STRATA_FUZZ_ROUNDS sets how often, STRATA_FUZZ_SEED where it begins; a failure
 * names the round's own seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/exit_status.h"
#include "strata/commands.h"
#include "merge_fixture.h"

#define SECONDS_MAX 300u

/* Distinguishes a sanitizer's exit status from the verb's. */
#define STATUS_BASE 40

static uint64_t seed;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint64_t below(uint64_t limit)
{
	return random64() % limit;
}

/* Numbers at which arithmetic breaks. */
static uint64_t awkward_number(void)
{
	static const uint64_t numbers[] = {
		0,          1,          7,          8,           103,
		104,        0xffff,     0x7fffffff, 0x80000000u, 0xffffffffu,
		UINT64_MAX, INT64_MAX,  1ull << 63, 1ull << 32,  4096 * 8,
		4096 * 9,   0x10021001, 0x80000002, 0x80000003,  0x70ff0123,
	};

	return numbers[below(sizeof(numbers) / sizeof(numbers[0]))];
}

/* One piece of damage to @bytes; returns how many there are afterwards. */
static size_t damage(uint8_t *bytes, size_t nr)
{
	size_t at = below(nr), length = 1 + below(64);
	uint64_t number = awkward_number();

	if (length > nr - at)
		length = nr - at;
	switch (below(7)) {
	case 0:
		return at;
	case 1:
		memset(bytes + at, (int)below(256), length);
		return nr;
	case 2: /* a header's or a record's number: those are aligned */
		at &= ~(size_t)3;
		memcpy(bytes + at, &number, nr - at < 8 ? nr - at : 8);
		return nr;
	case 3: /* the header of some packet */
		at = at / 4096 * 4096 + below(26) * 4;
		if (at + 8 <= nr)
			memcpy(bytes + at, &number, 8);
		return nr;
	case 4: /* another part of the file in its place */
		memmove(bytes + at, bytes + below(nr - length + 1), length);
		return nr;
	default:
		bytes[at] ^= (uint8_t)(1u << below(8));
		return nr;
	}
}

static void damage_file(const char *path)
{
	static uint8_t bytes[1 << 20];
	FILE *file = fopen(path, "r+");
	uint64_t times = 1 + below(6);
	size_t nr;

	assert_non_null(file);
	nr = fread(bytes, 1, sizeof(bytes), file);
	while (times-- > 0 && nr > 0)
		nr = damage(bytes, nr);
	rewind(file);
	assert_int_equal(fwrite(bytes, 1, nr, file), nr);
	assert_int_equal(ftruncate(fileno(file), (off_t)nr), 0);
	fclose(file);
}

static void damage_recording(const struct synthetic *rec)
{
	char path[160];
	unsigned int i;

	for (i = 0; i < rec->nr_streams; i++) {
		if (below(2))
			continue;
		snprintf(path, sizeof(path), "%s/%s/cpu_%u", rec->dir, rec->streams[i].source,
			 rec->streams[i].cpu);
		damage_file(path);
	}
	/* Damaged tables are mostly refused at once: let that be rare. */
	if (below(8) == 0) {
		snprintf(path, sizeof(path), "%s/recording.json", rec->dir);
		damage_file(path);
	}
}

/* A verb in a process of its own, with a limit of time; its status, below 0: it died. */
static int run(int (*verb)(int argc, char **argv), int argc, char **argv)
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		alarm(SECONDS_MAX);
		/* Findings are printed; complaints go to a file. */
		if (!freopen("/dev/null", "w", stderr))
			_exit(99);
		status = verb(argc, argv);
		_exit(status + STATUS_BASE);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) - STATUS_BASE : -1;
}

static int run_merge(char *raw, char *out)
{
	char *argv[] = { "merge", raw, "-o", out, "--force", NULL };

	return run(strata_cmd_merge, 5, argv);
}

static int run_convert(char *raw, char *out)
{
	char *argv[] = { "convert", "--force", "--format", "trace-compass", "-o", out, raw, NULL };

	return run(strata_cmd_convert, 7, argv);
}

static void assert_holds_together(const char *dir)
{
	struct merged merged;
	uint64_t previous = 0;
	size_t i;

	merge_directory(&merged, dir, NULL, 0);
	for (i = 0; i < merged.nr_events; i++) {
		assert_true(merged.events[i].ns >= previous);
		assert_true(merged.events[i].ns <= INT64_MAX);
		previous = merged.events[i].ns;
	}
	assert_int_equal(merged.result.events, merged.nr_events);
	merged_free(&merged);
}

/* Every tenth round: babeltrace2 must be able to read the output to its end. */
static void assert_readable(const char *out)
{
	char command[256];

	snprintf(command, sizeof(command), "babeltrace2 %s >%s/read 2>&1", out, out);
	assert_int_equal(system(command), 0);
}

static void assert_ended(int status, uint64_t at_seed, const struct synthetic *rec)
{
	if (status != STRATA_STATUS_OK && status != STRATA_STATUS_FAILED &&
	    status != STRATA_STATUS_PARTIAL)
		fail_msg("STRATA_FUZZ_SEED=%llu: status %d; see %s", (unsigned long long)at_seed,
			 status, rec->dir);
}

static void no_damage_makes_a_merge_crash_or_hang(void **state)
{
	const struct synthetic_host host = { .turns = 60,
					     .marks = 3,
					     .slack_before = 37,
					     .slack_after = 23,
					     .clock = { .is_hvm = true,
							.offset = 4711,
							.ratio = 0xd55555555555ull,
							.frac_bits = 48 } };
	const char *rounds_text = getenv("STRATA_FUZZ_ROUNDS");
	const char *seed_text = getenv("STRATA_FUZZ_SEED");
	unsigned long round, rounds = rounds_text ? strtoul(rounds_text, NULL, 10) : 60;
	uint64_t next_seed = seed_text ? strtoull(seed_text, NULL, 10) : 20260101;

	(void)state;
	for (round = 0; round < rounds; round++) {
		struct synthetic rec;
		char out[100], compass[100];
		int status;

		seed = next_seed;
		synthetic_init(&rec);
		synthetic_build_host(&rec, &host);
		synthetic_write(&rec);
		damage_recording(&rec);
		snprintf(out, sizeof(out), "%s/out", rec.dir);
		status = run_merge(rec.dir, out);
		assert_ended(status, next_seed, &rec);
		assert_holds_together(rec.dir);
		if (status != STRATA_STATUS_FAILED && round % 10 == 0)
			assert_readable(out);
		snprintf(compass, sizeof(compass), "%s/compass", rec.dir);
		status = run_convert(rec.dir, compass);
		assert_ended(status, next_seed, &rec);
		if (status != STRATA_STATUS_FAILED && round % 10 == 0)
			assert_readable(compass);
		next_seed = random64() | 1;
		synthetic_free(&rec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_damage_makes_a_merge_crash_or_hang),
	};

	return cmocka_run_group_tests_name("fuzz", tests, NULL, NULL);
}
