// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf_damage_files.c - reading bad files, indexes and directories, and files that change
 * meanwhile: as much as possible is read, and the message names the file.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "inputs/find.h"
#include "damaged_trace.h"

/* Files -----------------------------------------------------------------------------------------
 */

static void empty_files_and_zeroes_hold_nothing_up(void **state)
{
	static uint8_t zeroes[1u << 20];
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	trace_dir_put(&dir, "empty", "", 0);
	trace_dir_put(&dir, "zeroes", zeroes, sizeof(zeroes));
	put_packets(&bits, 10);
	result = read_stream(&bits);
	expect(&result, 10 * EVENTS, 1, sizeof(zeroes));
	heard_of("zeroes", 0, "1048576 bytes are left out, up to the end of the file");
}

static void what_is_no_stream_is_passed_by(void **state)
{
	struct bits bits = { 0 };
	struct result result;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/pipe", dir.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/directory", dir.path);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/link", dir.path);
	assert_int_equal(symlink("link", path), 0);
	put_packets(&bits, 10);
	result = read_stream(&bits);
	expect(&result, 10 * EVENTS, 0, 0);
	/* The link to itself cannot be opened, and is named. */
	assert_int_equal(heard.nr, 1);
	assert_non_null(strstr(heard.all, "/link: "));
	assert_non_null(strstr(heard.all, "it is left out"));
}

/* Makes and removes an empty stream until @data is true. */
static void *come_and_go(void *data)
{
	const bool *over = data;
	char path[128];

	snprintf(path, sizeof(path), "%s/zz", dir.path);
	while (!__atomic_load_n(over, __ATOMIC_RELAXED)) {
		trace_dir_put(&dir, "zz", "", 0);
		unlink(path);
	}
	return NULL;
}

/* A recorder removes the files of empty rings while a follower reads the directory. */
static void files_that_go_meanwhile_are_no_fault(void **state)
{
	struct bits bits = { 0 };
	struct result result;
	pthread_t thread;
	bool over = false;
	char path[128], name[16];
	unsigned int i;

	(void)state;
	put_packets(&bits, 10);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
	/* They are opened between the look at the directory and the last file. */
	for (i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "empty%u", i);
		trace_dir_put(&dir, name, "", 0);
	}
	assert_int_equal(pthread_create(&thread, NULL, come_and_go, &over), 0);
	for (i = 0; i < 30; i++) {
		result = read_with(1);
		if (heard.nr)
			break;
		expect(&result, 10 * EVENTS, 0, 0);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	assert_string_equal(heard.all, "");
	/* A link that leads nowhere is still there. */
	snprintf(path, sizeof(path), "%s/nowhere", dir.path);
	assert_int_equal(symlink("/nowhere/at/all", path), 0);
	result = read_with(1);
	expect(&result, 10 * EVENTS, 0, 0);
	assert_int_equal(heard.nr, 1);
	assert_non_null(strstr(heard.all, "/nowhere: No such file or directory; it is left out"));
}

static void unreadable_files_are_named_and_left_out(void **state)
{
	struct bits bits = { 0 };
	struct result result;
	char path[128];

	(void)state;
	trace_dir_put(&dir, "secret", "x", 1);
	snprintf(path, sizeof(path), "%s/secret", dir.path);
	assert_int_equal(chmod(path, 0), 0);
	put_packets(&bits, 10);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
	/* Permissions do not stop root. */
	assert_int_equal(chmod(dir.path, 0755), 0);
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	result = read_with(1);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	expect(&result, 10 * EVENTS, 0, 0);
	assert_int_equal(heard.nr, 1);
	assert_non_null(strstr(heard.all, "/secret: Permission denied; it is left out"));
}

static void two_thousand_streams_are_merged(void **state)
{
	struct rlimit limit;
	struct result result;
	unsigned int i;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (i = 0; i < 2000; i++) {
		struct bits bits = { 0 };
		char name[32];

		put_packet(&bits, i * 7 % 100);
		snprintf(name, sizeof(name), "stream_%u", i);
		trace_dir_put(&dir, name, bits.bytes, bits_bytes(&bits));
		bits_clear(&bits);
	}
	result = read_all();
	expect(&result, 2000 * EVENTS, 0, 0);
	assert_int_equal(heard.nr, 0);
}

/* Files that change ------------------------------------------------------------------------------
 */

static void *truncate_slowly(void *data)
{
	const char *path = data;
	const struct timespec pause = { 0, 300000 };
	off_t size;

	for (size = 20000 * PACKET_BYTES; size > 0; size -= 400 * PACKET_BYTES + 77) {
		nanosleep(&pause, NULL);
		if (truncate(path, size))
			break;
	}
	return NULL;
}

static void a_file_may_shrink_while_it_is_read(void **state)
{
	struct bits bits = { 0 };
	struct result result;
	char path[128];
	pthread_t thread;

	(void)state;
	put_packets(&bits, 20000);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
	snprintf(path, sizeof(path), "%s/stream", dir.path);
	assert_int_equal(pthread_create(&thread, NULL, truncate_slowly, path), 0);
	result = read_with(1);
	pthread_join(thread, NULL);
	assert_true(result.tally.events <= 20000 * EVENTS);
	/* And surely, once it is open. */
	heard.nr = 0;
	heard.all[0] = '\0';
	put_packets(&bits, 1000);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
	{
		struct strata_ctf_reader reader;
		struct strata_error error;
		struct strata_ctf_trace *trace =
			strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);
		uint64_t events = 0;
		int got;

		assert_non_null(trace);
		assert_int_equal(strata_ctf_reader_open(&reader, &trace->streams[0], 4096, &error),
				 0);
		assert_true(strata_ctf_reader_next(&reader) > 0);
		assert_int_equal(truncate(path, 500 * PACKET_BYTES + 100), 0);
		while ((got = strata_ctf_reader_next(&reader)) > 0)
			events = reader.tally.events;
		assert_int_equal(got, 0);
		assert_int_equal(events, 500 * EVENTS + 1);
		heard_of("stream", 500 * PACKET_BYTES + 100, "became shorter");
		strata_ctf_reader_close(&reader);
		strata_ctf_trace_close(trace);
	}
}

static void what_a_file_grows_by_is_not_read(void **state)
{
	struct strata_ctf_reader reader;
	struct strata_error error;
	struct strata_ctf_trace *trace;
	struct bits bits = { 0 };

	(void)state;
	put_packets(&bits, 3);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	trace = strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);
	assert_non_null(trace);
	put_packet(&bits, 3);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
	assert_int_equal(strata_ctf_reader_open(&reader, &trace->streams[0], 4096, &error), 0);
	while (strata_ctf_reader_next(&reader) > 0)
		;
	assert_int_equal(reader.tally.events, 3 * EVENTS);
	assert_int_equal(heard.nr, 0);
	strata_ctf_reader_close(&reader);
	strata_ctf_trace_close(trace);
}

/* Index files ------------------------------------------------------------------------------------
 */

static void put_big(uint8_t *to, uint64_t value, unsigned int bytes)
{
	while (bytes--) {
		to[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

enum lie {
	NO_LIE,
	WRONG_MAGIC,
	OLD_MAGIC, /* of LTTng up to 2.4: text, and a header of 14 bytes */
	WRONG_VERSION,
	TOO_FEW,
	TOO_MANY,
	WRONG_OFFSET,
	WRONG_SIZE,
	TINY_ENTRIES,
	EARLY_TIMES,
	LATE_TIMES,
	NR_LIES
};

static void put_index(enum lie lie, unsigned int packets)
{
	static uint8_t file[16 + 64 * 56];
	const unsigned int nr = lie == TOO_FEW    ? packets - 1
				: lie == TOO_MANY ? packets + 1
						  : packets;
	char path[128];
	unsigned int i;

	memset(file, 0, sizeof(file));
	put_big(file, lie == WRONG_MAGIC ? 7 : 0xc1f1dcc1u, 4);
	if (lie == OLD_MAGIC)
		memcpy(file, "CTFIDX", 6);
	else
		put_big(file + 4, lie == WRONG_VERSION ? 9 : 1, 4);
	put_big(file + 12, lie == TINY_ENTRIES ? 3 : 56, 4);
	for (i = 0; i < nr; i++) {
		uint8_t *entry = file + 16 + 56 * i;
		uint64_t begin = BEGIN + i * PACKET_NS, size = PACKET_BYTES * 8;

		if (lie == EARLY_TIMES)
			begin -= 5 * PACKET_NS;
		if (lie == LATE_TIMES)
			begin += 5 * PACKET_NS;
		if (lie == WRONG_SIZE && i == 2)
			size = UINT64_MAX - 7;
		put_big(entry, i * PACKET_BYTES + (lie == WRONG_OFFSET && i == 2), 8);
		put_big(entry + 8, size, 8);
		put_big(entry + 16, (MAKER_HEADER_BYTES + EVENTS * EVENT_BYTES) * 8, 8);
		put_big(entry + 24, begin, 8);
		put_big(entry + 32, begin + 90, 8);
	}
	snprintf(path, sizeof(path), "%s/index", dir.path);
	mkdir(path, 0700);
	trace_dir_put(&dir, "index/stream.idx", file, 16 + 56 * nr);
}

static void an_index_that_lies_loses_no_event(void **state)
{
	uint64_t sound = 0;
	enum lie lie;

	(void)state;
	for (lie = NO_LIE; lie < NR_LIES; lie++) {
		struct strata_ctf_index index;
		struct strata_ctf_trace *trace;
		struct strata_error error;
		struct bits bits = { 0 };
		struct result result;

		put_packets(&bits, 40);
		put_index(lie, 40);
		result = read_stream(&bits);
		expect(&result, 40 * EVENTS, 0, 0);
		if (lie == NO_LIE)
			sound = result.chain.hash;
		assert_int_equal(result.chain.hash, sound);
		memset(&heard, 0, sizeof(heard));
		trace = strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);
		assert_non_null(trace);
		assert_int_equal(strata_ctf_index_make(&index, &trace->streams[0], &error), 0);
		/* Times that are too late make a reader begin too early, and entries for bytes
		 * behind the file are ignored: neither does harm. */
		assert_int_equal(index.from_file,
				 lie == NO_LIE || lie == LATE_TIMES || lie == TOO_MANY);
		/* Nothing is missing, so no message is printed. */
		assert_int_equal(heard.nr, 0);
		strata_ctf_index_clear(&index);
		strata_ctf_trace_close(trace);
	}
}

/* Directories ------------------------------------------------------------------------------------
 */

static void make_link(const char *target, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir.path, name);
	assert_int_equal(symlink(target, path), 0);
}

static void make_directory(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir.path, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

/* Forty directories, each with two links to the next: 2^40 ways to the trace. */
static void links_lead_to_each_trace_once(void **state)
{
	struct strata_inputs inputs = { 0 };
	struct strata_error error;
	char name[128], target[64];
	unsigned int i;

	(void)state;
	snprintf(name, sizeof(name), "%s/metadata", dir.path);
	assert_int_equal(unlink(name), 0);
	for (i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "d%u", i);
		make_directory(name);
		snprintf(target, sizeof(target), "../d%u", i + 1);
		snprintf(name, sizeof(name), "d%u/left", i);
		make_link(target, name);
		snprintf(name, sizeof(name), "d%u/right", i);
		make_link(target, name);
	}
	make_directory("d40");
	trace_dir_put_text(&dir, "d40/metadata", "/* CTF 1.8 */");
	make_link("..", "d40/up");
	make_link("..", "d3/back");
	assert_int_equal(strata_inputs_find(&inputs, dir.path, complaints_hear, &heard, &error), 0);
	assert_int_equal(inputs.nr, 1);
	strata_inputs_clear(&inputs);
}

static void a_loop_without_a_trace_is_told(void **state)
{
	struct strata_inputs inputs = { 0 };
	struct strata_error error;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/metadata", dir.path);
	assert_int_equal(unlink(path), 0);
	make_directory("a");
	make_link("..", "a/b");
	make_link("nowhere", "dangling");
	assert_int_equal(strata_inputs_find(&inputs, dir.path, complaints_hear, &heard, &error),
			 -1);
	assert_non_null(strstr(error.text, "contains no trace"));
	assert_non_null(strstr(heard.all, "/a/b: the link leads to a directory that contains it"));
	strata_inputs_clear(&inputs);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(empty_files_and_zeroes_hold_nothing_up),
		CASE(what_is_no_stream_is_passed_by),
		CASE(files_that_go_meanwhile_are_no_fault),
		CASE(unreadable_files_are_named_and_left_out),
		CASE(two_thousand_streams_are_merged),
		CASE(a_file_may_shrink_while_it_is_read),
		CASE(what_a_file_grows_by_is_not_read),
		CASE(an_index_that_lies_loses_no_event),
		CASE(links_lead_to_each_trace_once),
		CASE(a_loop_without_a_trace_is_told),
	};

	return cmocka_run_group_tests_name("ctf_damage_files", tests, NULL, NULL);
}
