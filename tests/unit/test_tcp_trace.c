// SPDX-License-Identifier: GPL-2.0-or-later
/* test_tcp_trace.c - segments are found in traces on disk, with the times of their events. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inputs/tcp/tcp_trace.h"

#define METADATA                                                                                  \
	"/* CTF 1.8 */\n"                                                                         \
	"typealias integer { size = 8; align = 8; } := u8;\n"                                     \
	"typealias integer { size = 32; align = 8; } := u32;\n"                                   \
	"typealias integer { size = 64; align = 8; } := u64;\n"                                   \
	"typealias integer { size = 8; align = 8; byte_order = be; } := b8;\n"                    \
	"typealias integer { size = 16; align = 8; byte_order = be; } := b16;\n"                  \
	"typealias integer { size = 32; align = 8; byte_order = be; } := b32;\n"                  \
	"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; " \
	"};\n"                                                                                    \
	"clock { name = mono; freq = 1000000000; offset = 5000000000; };\n"                       \
	"typealias integer { size = 64; align = 8; map = clock.mono.value; } := time;\n"          \
	"stream { packet.context := struct { u64 content_size; u64 packet_size; };\n"             \
	"event.header := struct { u8 id; time timestamp; }; };\n"

#define EVENT(name, id)                                                                  \
	"event { name = \"" name "\"; id = " id "; fields := struct { struct {\n"        \
	"b16 id; b16 frag_off; b8 saddr[4]; b8 daddr[4]; struct { b16 source_port; b16 " \
	"dest_port;\n"                                                                   \
	"b32 seq; b32 ack_seq; b16 flags; } transport_header; } network_header; }; };\n"

#define WITH_SEGMENTS METADATA EVENT("net_dev_queue", "1") EVENT("net_if_receive_skb", "2")
#define WITHOUT       METADATA EVENT("net_dev_xmit", "1")

#define HEADER_BYTES 20

enum { SENT = 1, RECEIVED = 2, MACHINES = 4 };

/* A trace that is being written: one stream of one packet. */
struct written {
	char path[64];
	uint8_t packet[4096];
	size_t bytes;
};

static void write_file(const struct written *trace, const char *name, const void *data, size_t nr)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", trace->path, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, nr, file), nr);
	fclose(file);
}

static void begin(struct written *trace, const char *metadata)
{
	strcpy(trace->path, "/tmp/test_tcp_trace.XXXXXX");
	assert_non_null(mkdtemp(trace->path));
	write_file(trace, "metadata", metadata, strlen(metadata));
	trace->bytes = HEADER_BYTES;
}

static void put_number(struct written *trace, uint64_t value, unsigned int bytes)
{
	while (bytes-- > 0)
		trace->packet[trace->bytes++] = (uint8_t)(value >> (8 * bytes));
}

/* @number: tells segments apart */
static void add(struct written *trace, uint8_t event, uint64_t time, uint32_t number)
{
	trace->packet[trace->bytes++] = event;
	memcpy(&trace->packet[trace->bytes], &time, 8);
	trace->bytes += 8;
	put_number(trace, number, 2);
	put_number(trace, 0x4000, 2);
	put_number(trace, 0x0a000001, 4);
	put_number(trace, 0x0a000002, 4);
	put_number(trace, 1234, 2);
	put_number(trace, 80, 2);
	put_number(trace, number, 4);
	put_number(trace, 99, 4);
	put_number(trace, 0x10, 2);
}

static struct strata_ctf_trace *finish(struct written *trace)
{
	const uint32_t magic = 0xc1fc1fc1;
	const uint64_t bits = trace->bytes * 8;
	struct strata_ctf_trace *opened;
	struct strata_error error;

	memcpy(trace->packet, &magic, 4);
	memcpy(trace->packet + 4, &bits, 8);
	memcpy(trace->packet + 12, &bits, 8);
	write_file(trace, "stream", trace->packet, trace->bytes);
	opened = strata_ctf_trace_open(trace->path, NULL, NULL, &error);
	if (!opened)
		fail_msg("%s", error.text);
	return opened;
}

static void end(struct written *trace, struct strata_ctf_trace *opened)
{
	char path[128];

	strata_ctf_trace_close(opened);
	snprintf(path, sizeof(path), "%s/metadata", trace->path);
	unlink(path);
	snprintf(path, sizeof(path), "%s/stream", trace->path);
	unlink(path);
	rmdir(trace->path);
}

struct found {
	struct strata_tcp_pair pairs[16];
	size_t nr;
};

static int keep(void *data, const struct strata_tcp_pair *pair)
{
	struct found *found = data;

	assert_true(found->nr < 16);
	found->pairs[found->nr++] = *pair;
	return 1;
}

/* Matches the records of machine 0 and machine 1. */
static struct found match(struct written *one, struct written *other)
{
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(64, MACHINES);
	struct strata_ctf_trace *first = finish(one), *second = finish(other);
	struct strata_tcp_tally tally;
	struct strata_error error;
	struct strata_tcp_forms forms[2] = { 0 };
	struct strata_tcp_map map;
	struct found found = { .nr = 0 };

	assert_int_equal(strata_tcp_map_make(&map, NULL, NULL, &error), 0);
	assert_true(strata_tcp_trace_forms(first, &map, &forms[0]));
	assert_true(strata_tcp_trace_forms(second, &map, &forms[1]));
	strata_tcp_forms_find(forms, 2);
	assert_int_equal(strata_tcp_trace_add(pairs, first, &map, &forms[0], 0, NULL, &error), 0);
	assert_int_equal(strata_tcp_trace_add(pairs, second, &map, &forms[1], 1, NULL, &error), 0);
	strata_tcp_map_clear(&map);
	assert_int_equal(strata_tcp_pairs_match(pairs, keep, &found, &tally), 0);
	strata_tcp_pairs_free(pairs);
	end(one, first);
	end(other, second);
	return found;
}

static void segments_of_two_machines_are_paired(void **state)
{
	struct written one, other;
	struct found found;

	(void)state;
	begin(&one, WITH_SEGMENTS);
	add(&one, SENT, 1000, 1);
	add(&one, RECEIVED, 3000, 2);
	begin(&other, WITH_SEGMENTS);
	add(&other, RECEIVED, 700, 1);
	add(&other, SENT, 800, 2);
	found = match(&one, &other);
	assert_int_equal(found.nr, 2);
	assert_int_equal(found.pairs[0].sent_clock, 0);
	assert_int_equal(found.pairs[0].sent, 5000001000);
	assert_int_equal(found.pairs[0].received_clock, 1);
	assert_int_equal(found.pairs[0].received, 5000000700);
	assert_int_equal(found.pairs[1].sent_clock, 1);
	assert_int_equal(found.pairs[1].sent, 5000000800);
	assert_int_equal(found.pairs[1].received, 5000003000);
}

/* The reader mends times that step back; a mended time is not the time of a segment. */
static void a_time_that_was_mended_proves_nothing(void **state)
{
	struct written one, other;
	struct found found;

	(void)state;
	begin(&one, WITH_SEGMENTS);
	add(&one, SENT, 1000, 1);
	add(&one, SENT, 400, 2);
	add(&one, SENT, 500, 3);
	add(&one, SENT, 2000, 4);
	begin(&other, WITH_SEGMENTS);
	add(&other, RECEIVED, 700, 1);
	add(&other, RECEIVED, 701, 2);
	add(&other, RECEIVED, 702, 3);
	add(&other, RECEIVED, 703, 4);
	found = match(&one, &other);
	assert_int_equal(found.nr, 2);
	assert_int_equal(found.pairs[0].received, 5000000700);
	assert_int_equal(found.pairs[1].received, 5000000703);
}

static void a_trace_without_them_is_told_apart(void **state)
{
	struct written trace;
	struct strata_ctf_trace *opened;
	struct strata_tcp_forms forms = { 0 };
	struct strata_tcp_map map;
	struct strata_error error;

	(void)state;
	begin(&trace, WITHOUT);
	add(&trace, SENT, 1000, 1);
	opened = finish(&trace);
	assert_int_equal(strata_tcp_map_make(&map, NULL, NULL, &error), 0);
	assert_false(strata_tcp_trace_forms(opened, &map, &forms));
	strata_tcp_map_clear(&map);
	end(&trace, opened);
}

/* Segments in such a trace, with the built-in map or with @rules before it. */
static bool has_segments(const char *env, const char *rules)
{
	char metadata[4096];
	struct written trace;
	struct strata_ctf_trace *opened;
	struct strata_tcp_forms forms = { 0 };
	struct strata_tcp_map map;
	struct strata_error error;
	bool has;

	snprintf(metadata, sizeof(metadata), WITH_SEGMENTS "env { %s };\n", env);
	begin(&trace, metadata);
	add(&trace, SENT, 1000, 1);
	opened = finish(&trace);
	assert_int_equal(strata_tcp_map_make(&map, rules, "rules", &error), 0);
	has = strata_tcp_trace_forms(opened, &map, &forms);
	strata_tcp_map_clear(&map);
	end(&trace, opened);
	return has;
}

/* A guest may write any segment, at times of its choice, and so shift the clocks of its host and of
 * all others that are merged with it. */
static void a_guest_is_believed_where_the_user_says_so(void **state)
{
	const char *rules =
		"event net_dev_queue\n\trole sent\n\tsequence seq\n\tacknowledged ack_seq\n";

	(void)state;
	assert_true(has_segments("domain = \"dom0\"; domain_id = 0; layer = \"kernel\";", NULL));
	assert_false(has_segments("domain = \"g1\"; domain_id = 3; layer = \"kernel\";", NULL));
	assert_false(has_segments("domain = \"dom0\"; domain_id = -1; layer = \"kernel\";", NULL));
	assert_true(has_segments("domain = \"g1\"; domain_id = 3; layer = \"kernel\";", rules));
	/* A machine of its own. */
	assert_true(has_segments("domain = \"kernel\"; domain_id = 3;", NULL));
}

/* Any user may have one that speaks of segments as a kernel does, at times of his choice. */
static void an_application_is_believed_where_the_user_says_so(void **state)
{
	const char *rules =
		"event net_dev_queue\n\trole sent\n\tsequence seq\n\tacknowledged ack_seq\n";

	(void)state;
	assert_true(has_segments("domain = \"kernel\";", NULL));
	assert_false(has_segments("domain = \"ust\";", NULL));
	assert_true(has_segments("domain = \"ust\";", rules));
	assert_false(has_segments("domain = \"dom0\"; layer = \"app\";", NULL));
	/* A guest's name is no layer. */
	assert_true(has_segments("domain = \"ust\"; layer = \"kernel\";", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_of_two_machines_are_paired),
		cmocka_unit_test(a_time_that_was_mended_proves_nothing),
		cmocka_unit_test(a_trace_without_them_is_told_apart),
		cmocka_unit_test(an_application_is_believed_where_the_user_says_so),
		cmocka_unit_test(a_guest_is_believed_where_the_user_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
