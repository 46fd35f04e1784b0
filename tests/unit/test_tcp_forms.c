// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_tcp_forms.c - two machines tell of the same segments in the forms of various tracers, and
 * their clocks are tied by them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctf_maker.h"
#include "inputs/machines.h"

#define EXCHANGES  40u
#define TRUTH_NS   5000000000ull /* the second machine's clock is ahead by that */
#define ON_THE_WAY 200000ull
#define BETWEEN_NS 10000000ull
#define BEGIN_NS   1000000000ull
#define FRONT_PORT 40000u
#define BACK_PORT  80u

static const char common[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; } := u8;\n"
	"typealias integer { size = 16; align = 8; } := u16;\n"
	"typealias integer { size = 32; align = 8; } := u32;\n"
	"typealias integer { size = 64; align = 8; } := u64;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := i32;\n"
	"typealias integer { size = 16; align = 8; byte_order = be; } := b16;\n"
	"typealias integer { size = 32; align = 8; byte_order = be; } := b32;\n"
	"trace { major = 1; minor = 8; byte_order = le;\n"
	"	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };\n"
	"clock { name = c; freq = 1000000000; };\n"
	"typealias integer { size = 64; align = 8; map = clock.c.value; } := time;\n"
	"stream { id = 0; packet.context := struct { time timestamp_begin; time timestamp_end;\n"
	"	u64 content_size; u64 packet_size; u64 packet_seq_num; u64 events_discarded;\n"
	"	u32 cpu_id; };\n"
	"	event.header := struct { u32 id; time timestamp; }; };\n";

/* A segment, as the test has it. */
struct segment {
	bool is_reply;   /* from the second machine to the first */
	uint32_t number; /* tells it from others */
};

static uint32_t sequence_of(const struct segment *segment)
{
	return (segment->is_reply ? 0x70000000u : 0x1000u) + segment->number * 100;
}

static uint32_t acknowledged_of(const struct segment *segment)
{
	const struct segment other = { !segment->is_reply,
				       segment->number + (segment->is_reply ? 1 : 0) };

	return sequence_of(&other);
}

static void put_big_endian(struct bits *bits, uint64_t value, unsigned int bytes)
{
	while (bytes-- > 0)
		bits_put(bits, value >> (8 * bytes) & 0xff, 8);
}

/* 10.0.0.1, port 40000, is the first machine's end; 10.0.0.2, port 80, the second's. */
static void put_ipv4(struct bits *bits, bool back)
{
	put_big_endian(bits, back ? 0x0a000002 : 0x0a000001, 4);
}

static void put_ipv6(struct bits *bits, bool back)
{
	put_big_endian(bits, 0, 8);
	put_big_endian(bits, 0xffff, 4);
	put_ipv4(bits, back);
}

static void put_port(struct bits *bits, bool back, bool big_endian)
{
	if (big_endian)
		put_big_endian(bits, back ? BACK_PORT : FRONT_PORT, 2);
	else
		bits_put(bits, back ? BACK_PORT : FRONT_PORT, 16);
}

/* Ends of a segment on its way: from and to. */
static bool is_from_back(const struct segment *segment)
{
	return segment->is_reply;
}

/* A form: the metadata, and the bytes behind an event's header. */
struct form {
	const char *metadata; /* events 1 (sent) and 2 (received) */
	void (*put)(struct bits *bits, const struct segment *segment, bool is_sent);
	unsigned int records; /* events of one sighting; 0: one */
};

/* LTTng's add-ons. */
static const char addons_metadata[] =
	"event { id = 1; name = \"inet_sock_local_out\"; fields := struct { u64 sk; b32 seq; b32 ack_seq;\n"
	"	b16 check; b16 window; b16 flags; }; };\n"
	"event { id = 2; name = \"inet_sock_local_in\"; fields := struct { u64 sk; b32 seq; b32 ack_seq;\n"
	"	b16 check; b16 window; b16 flags; }; };\n";

static void put_addons(struct bits *bits, const struct segment *segment, bool is_sent)
{
	bits_put(bits, is_sent ? 0xffff888001 : 0xffff888002, 64);
	put_big_endian(bits, sequence_of(segment), 4);
	put_big_endian(bits, acknowledged_of(segment), 4);
	/* The sender leaves its checksum to the hardware. */
	put_big_endian(bits, is_sent ? 0 : 0x1234, 2);
	put_big_endian(bits, 500, 2);
	put_big_endian(bits, 0x0518, 2);
}

/* LTTng's events of the network before they had the header of IP. */
static const char old_metadata[] =
	"event { id = 1; name = \"net_dev_queue\"; fields := struct { u64 skbaddr; u32 len; struct {\n"
	"	b16 source; b16 dest; b32 seq; b32 ack_seq; b16 flags; } thtype_tcp; }; };\n"
	"event { id = 2; name = \"netif_receive_skb\"; fields := struct { u64 skbaddr; u32 len; struct {\n"
	"	b16 source; b16 dest; b32 seq; b32 ack_seq; b16 flags; } thtype_tcp; }; };\n";

static void put_old(struct bits *bits, const struct segment *segment, bool is_sent)
{
	bits_put(bits, is_sent, 64);
	bits_put(bits, 100, 32);
	put_port(bits, is_from_back(segment), true);
	put_port(bits, !is_from_back(segment), true);
	put_big_endian(bits, sequence_of(segment), 4);
	put_big_endian(bits, acknowledged_of(segment), 4);
	put_big_endian(bits, 0x18, 2);
}

/* LTTng's events of the network as they are now. */
static const char headers_metadata[] =
	"event { id = 1; name = \"net_dev_queue\"; fields := struct { u64 skbaddr; b16 id; b16 frag_off;\n"
	"	u8 saddr[4]; u8 daddr[4]; b16 source_port; b16 dest_port; b32 seq; b32 ack_seq;\n"
	"	b16 flags; }; };\n"
	"event { id = 2; name = \"net_if_receive_skb\"; fields := struct { u64 skbaddr; b16 id;\n"
	"	b16 frag_off; u8 saddr[4]; u8 daddr[4]; b16 source_port; b16 dest_port; b32 seq;\n"
	"	b32 ack_seq; b16 flags; }; };\n";

static void put_headers(struct bits *bits, const struct segment *segment, bool is_sent)
{
	bits_put(bits, is_sent, 64);
	put_big_endian(bits, segment->number + 7, 2);
	put_big_endian(bits, 0x4000, 2);
	put_ipv4(bits, is_from_back(segment));
	put_ipv4(bits, !is_from_back(segment));
	put_port(bits, is_from_back(segment), true);
	put_port(bits, !is_from_back(segment), true);
	put_big_endian(bits, sequence_of(segment), 4);
	put_big_endian(bits, acknowledged_of(segment), 4);
	put_big_endian(bits, is_sent ? 0x18 : 0x10, 2);
}

/* perf's form of Linux's states of sockets; a segment is a step of a connection of its own. */
static const char states_metadata[] =
	"event { id = 1; name = \"sock:inet_sock_set_state\"; fields := struct { u64 skaddr;\n"
	"	i32 oldstate; i32 newstate; u16 sport; u16 dport; u16 family; u16 protocol;\n"
	"	u8 saddr[4]; u8 daddr[4]; u8 saddr_v6[16]; u8 daddr_v6[16]; }; };\n"
	"event { id = 2; name = \"unused\"; };\n";

/* A request tells that its side is connected, or closes; a reply that the close arrived. */
static void put_states(struct bits *bits, const struct segment *segment, bool is_sent)
{
	const bool is_back = is_sent == is_from_back(segment); /* whose socket it is */
	int from, to;

	if (segment->is_reply) {
		from = is_sent ? 1 : 4;
		to = is_sent ? 8 : 5;
	} else {
		from = is_sent ? 2 : 3;
		to = 1;
	}
	bits_put(bits, 0xffff, 64);
	bits_put(bits, (uint32_t)from, 32);
	bits_put(bits, (uint32_t)to, 32);
	/* A connection for each. */
	bits_put(bits, (is_back ? BACK_PORT : FRONT_PORT) + segment->number, 16);
	bits_put(bits, (is_back ? FRONT_PORT : BACK_PORT) + segment->number, 16);
	bits_put(bits, 2, 16);
	bits_put(bits, 6, 16);
	put_ipv4(bits, is_back);
	put_ipv4(bits, !is_back);
	put_ipv6(bits, is_back);
	put_ipv6(bits, !is_back);
}

/* What is sent as headers, and what a socket hears of it afterwards. */
static const char probe_metadata[] =
	"event { id = 1; name = \"net_dev_queue\"; fields := struct { u64 skbaddr; b16 id; b16 frag_off;\n"
	"	u8 saddr[4]; u8 daddr[4]; b16 source_port; b16 dest_port; b32 seq; b32 ack_seq;\n"
	"	b16 flags; }; };\n"
	"event { id = 2; name = \"tcp:tcp_probe\"; fields := struct { u8 saddr[28]; u8 daddr[28];\n"
	"	u16 sport; u16 dport; u16 family; u32 mark; u16 data_len; u32 snd_nxt; u32 snd_una; }; "
	"};\n";

static void put_socket_address(struct bits *bits, bool back)
{
	bits_put(bits, 2, 16);
	put_port(bits, back, true);
	put_ipv4(bits, back);
	put_big_endian(bits, 0, 8);
	put_big_endian(bits, 0, 8);
	put_big_endian(bits, 0, 4);
}

static void put_probe(struct bits *bits, const struct segment *segment, bool is_sent)
{
	const bool is_back = !is_from_back(segment);

	if (is_sent) {
		put_headers(bits, segment, true);
		return;
	}
	put_socket_address(bits, is_back);
	put_socket_address(bits, !is_back);
	put_port(bits, is_back, false);
	put_port(bits, !is_back, false);
	bits_put(bits, 2, 16);
	bits_put(bits, 0, 32);
	bits_put(bits, 100, 16);
	bits_put(bits, acknowledged_of(segment) + 100, 32);
	bits_put(bits, acknowledged_of(segment), 32);
}

/* Captures of packets, tagged for a VLAN where they are sent. */
static const char capture_metadata[] =
	"event { id = 1; name = \"packet_sent\"; fields := struct { u16 length; u8 packet[length]; }; };\n"
	"event { id = 2; name = \"packet_received\"; fields := struct { u16 length; u8 packet[length]; }; "
	"};\n";

static void put_capture(struct bits *bits, const struct segment *segment, bool is_sent)
{
	bits_put(bits, is_sent ? 14 + 4 + 20 + 20 : 14 + 20 + 20, 16);
	put_big_endian(bits, 0x112233445566, 6);
	put_big_endian(bits, 0x665544332211, 6);
	if (is_sent)
		put_big_endian(bits, 0x81000005, 4);
	put_big_endian(bits, 0x0800, 2);
	put_big_endian(bits, 0x45000028, 4);
	put_big_endian(bits, segment->number + 7, 2);
	put_big_endian(bits, 0x4000, 2);
	put_big_endian(bits, is_sent ? 0x4006 : 0x3f06, 2);
	put_big_endian(bits, 0, 2);
	put_ipv4(bits, is_from_back(segment));
	put_ipv4(bits, !is_from_back(segment));
	put_port(bits, is_from_back(segment), true);
	put_port(bits, !is_from_back(segment), true);
	put_big_endian(bits, sequence_of(segment), 4);
	put_big_endian(bits, acknowledged_of(segment), 4);
	put_big_endian(bits, is_sent ? 0x5018 : 0x5010, 2);
	put_big_endian(bits, 0, 6);
}

/* A tracer of the user's own: an event of the device that knows the buffer, and one of TCP. */
static const char joined_metadata[] =
	"event { id = 1; name = \"my_leave\"; fields := struct { u64 skb; u8 device; }; };\n"
	"event { id = 2; name = \"my_arrive\"; fields := struct { u64 skb; u8 device; }; };\n"
	"event { id = 3; name = \"my_tcp\"; fields := struct { u64 buffer; u32 s; u32 a; }; };\n";

static const char joined_map[] = "# Where packets leave and arrive, and what they are.\n"
				 "event my_leave\n"
				 "	role sent\n"
				 "	join skb\n"
				 "event my_arrive\n"
				 "	role received\n"
				 "	join skb\n"
				 "event my_tcp other\n"
				 "	role none\n"
				 "	join buffer\n"
				 "	sequence s\n"
				 "	acknowledged a\n";

static void put_joined(struct bits *bits, const struct segment *segment, bool is_sent)
{
	bits_put(bits, 0xffff888000000000 + segment->number * 256u + is_sent, 64);
	bits_put(bits, 3, 8);
}

static void put_tcp_of_joined(struct bits *bits, const struct segment *segment, bool is_sent)
{
	bits_put(bits, 0xffff888000000000 + segment->number * 256u + is_sent, 64);
	bits_put(bits, sequence_of(segment), 32);
	bits_put(bits, acknowledged_of(segment), 32);
}

static const struct form addons = { addons_metadata, put_addons, 1 };
static const struct form old = { old_metadata, put_old, 1 };
static const struct form headers = { headers_metadata, put_headers, 1 };
static const struct form states = { states_metadata, put_states, 1 };
static const struct form probe = { probe_metadata, put_probe, 1 };
static const struct form capture = { capture_metadata, put_capture, 1 };
static const struct form joined = { joined_metadata, put_joined, 2 };

/* A trace of one machine. */
struct machine {
	struct trace_dir dir;
	struct bits bits;
	const struct form *form;
	bool is_back;
};

static void put_header(struct bits *bits, uint32_t id, uint64_t ns)
{
	bits_put(bits, id, 32);
	bits_put(bits, ns, 64);
}

/* Its event about a segment: states have one event for both roles. */
static void put_event(struct machine *machine, const struct segment *segment, bool is_sent,
		      uint64_t truth_ns)
{
	const uint64_t ns = truth_ns + (machine->is_back ? TRUTH_NS : 0);
	const bool is_one_event = machine->form == &states;
	const bool has_two = machine->form == &joined;

	/* TCP sees a segment before it leaves, and after it has arrived. */
	if (has_two && is_sent) {
		put_header(&machine->bits, 3, ns - 500);
		put_tcp_of_joined(&machine->bits, segment, is_sent);
	}
	put_header(&machine->bits, is_sent || is_one_event ? 1 : 2, ns);
	machine->form->put(&machine->bits, segment, is_sent);
	if (has_two && !is_sent) {
		put_header(&machine->bits, 3, ns + 500);
		put_tcp_of_joined(&machine->bits, segment, is_sent);
	}
}

static void begin(struct machine *machine, const struct form *form, bool is_back)
{
	char metadata[8192];

	memset(machine, 0, sizeof(*machine));
	machine->form = form;
	machine->is_back = is_back;
	trace_dir_make(&machine->dir);
	snprintf(metadata, sizeof(metadata), "%senv { hostname = \"%s\"; };\n%s", common,
		 is_back ? "back" : "front", form->metadata);
	trace_dir_put_text(&machine->dir, "metadata", metadata);
	maker_begin_packet(&machine->bits, BEGIN_NS, 0, 0);
}

static void finish(struct machine *machine)
{
	maker_end_packet(&machine->bits, BEGIN_NS + 3 * TRUTH_NS, 0);
	trace_dir_put(&machine->dir, "stream", machine->bits.bytes, bits_bytes(&machine->bits));
	bits_clear(&machine->bits);
}

/* Requests and replies between two machines, each with a tracer of its own. */
static void converse(struct machine machines[2], const struct form *front, const struct form *back)
{
	uint32_t i;

	begin(&machines[0], front, false);
	begin(&machines[1], back, true);
	for (i = 0; i < EXCHANGES; i++) {
		const uint64_t ns = BEGIN_NS + i * BETWEEN_NS;
		const struct segment request = { false, i }, reply = { true, i };

		put_event(&machines[0], &request, true, ns);
		put_event(&machines[1], &request, false, ns + ON_THE_WAY);
		put_event(&machines[1], &reply, true, ns + 2 * ON_THE_WAY);
		put_event(&machines[0], &reply, false, ns + 3 * ON_THE_WAY);
	}
	finish(&machines[0]);
	finish(&machines[1]);
}

static struct complaints heard;

/* Finds the machines by the map; how many pairs there are, and whether the clocks are tied well. */
static uint64_t tie(struct machine machines[2], const char *text, bool *tied)
{
	struct strata_trace_set set = { 0 };
	struct strata_machines found;
	struct strata_tcp_map map;
	struct strata_error error = { "" };
	const struct strata_clock_sync_report *report;
	uint64_t pairs;
	unsigned int i;

	heard.nr = 0;
	for (i = 0; i < 2; i++) {
		struct strata_ctf_trace *trace = strata_ctf_trace_open(
			machines[i].dir.path, complaints_hear, &heard, &error);

		if (!trace)
			fail_msg("%s", error.text);
		assert_int_equal(strata_trace_set_add(&set, trace, &error), 0);
	}
	if (strata_tcp_map_make(&map, text, "map", &error) ||
	    strata_machines_find_by(&found, &set, &map, complaints_hear, &heard, &error))
		fail_msg("%s", error.text);
	strata_tcp_map_clear(&map);
	assert_int_equal(found.nr, 2);
	pairs = found.tally.pairs;
	*tied = found.machines[1].tied;
	if (*tied) {
		report = strata_clock_sync_report(found.sync, &error);
		assert_non_null(report);
		assert_int_equal(report->nr_breaches, 0);
		/* Each pair leaves the time on its way open. */
		assert_in_range(report->clocks[1].least_bound, 1, 2 * ON_THE_WAY);
	}
	strata_trace_set_clear(&set);
	strata_machines_clear(&found);
	for (i = 0; i < 2; i++)
		trace_dir_remove(&machines[i].dir);
	return pairs;
}

static void assert_tied(const struct form *front, const struct form *back, const char *map)
{
	struct machine machines[2];
	uint64_t pairs;
	bool tied;

	converse(machines, front, back);
	pairs = tie(machines, map, &tied);
	assert_true(tied);
	assert_int_equal(pairs, 2 * EXCHANGES);
}

static void lttng_addons(void **state)
{
	(void)state;
	assert_tied(&addons, &addons, NULL);
}

static void lttng_before_it_knew_ip(void **state)
{
	(void)state;
	assert_tied(&old, &old, NULL);
}

static void lttng_headers(void **state)
{
	(void)state;
	assert_tied(&headers, &headers, NULL);
}

static void packets_that_were_captured(void **state)
{
	(void)state;
	assert_tied(&capture, &capture, NULL);
}

static void states_of_sockets(void **state)
{
	(void)state;
	assert_tied(&states, &states, NULL);
}

static void what_a_socket_hears(void **state)
{
	(void)state;
	assert_tied(&probe, &probe, NULL);
}

static void two_tracers_that_tell_different_things(void **state)
{
	(void)state;
	assert_tied(&headers, &addons, NULL);
	assert_tied(&addons, &old, NULL);
	assert_tied(&capture, &headers, NULL);
}

static void a_tracer_of_ones_own_by_a_map(void **state)
{
	struct machine machines[2];
	bool tied;

	(void)state;
	assert_tied(&joined, &joined, joined_map);
	assert_tied(&joined, &headers, joined_map);
	converse(machines, &joined, &joined);
	assert_int_equal(tie(machines, NULL, &tied), 0);
	assert_false(tied);
}

/* Events without anything in common prove nothing. */
static void forms_that_share_too_little(void **state)
{
	struct machine machines[2];
	bool tied;

	(void)state;
	converse(machines, &states, &addons);
	assert_int_equal(tie(machines, NULL, &tied), 0);
	assert_false(tied);
}

/* An acknowledgement that is seen twice, and may be two segments. */
static void what_may_be_two_segments_is_none(void **state)
{
	const struct segment one = { false, 1 }, two = { false, 2 };
	struct machine machines[2];
	bool tied;

	(void)state;
	begin(&machines[0], &addons, false);
	begin(&machines[1], &addons, true);
	put_event(&machines[0], &one, true, BEGIN_NS + 1000);
	put_event(&machines[0], &one, true, BEGIN_NS + 2000);
	put_event(&machines[0], &two, true, BEGIN_NS + 3000);
	put_event(&machines[1], &one, false, BEGIN_NS + 1500);
	put_event(&machines[1], &two, false, BEGIN_NS + 3500);
	finish(&machines[0]);
	finish(&machines[1]);
	assert_int_equal(tie(machines, NULL, &tied), 1);
}

static void assert_wrong(const char *text, const char *message)
{
	struct strata_error error = { "" };
	struct strata_tcp_map map;

	assert_int_equal(strata_tcp_map_make(&map, text, "map", &error), -1);
	assert_string_equal(error.text, message);
	strata_tcp_map_clear(&map);
}

static void what_is_wrong_in_a_map_is_named(void **state)
{
	(void)state;
	assert_wrong("role sent\n", "map: line 1: a rule must begin with \"event\", not with role");
	assert_wrong("# one\nevent e\n\trole snet\n",
		     "map: line 3: a role must be sent, received or none, not snet");
	assert_wrong("event e\n\tsequnce s\n", "map: line 2: unknown word sequnce");
	assert_wrong("event e\n\tsequence\n", "map: line 2: a name is missing");
	assert_wrong("event e\n\twhere s one\n", "map: line 2: no number is one");
	assert_wrong("event e\n\tpacket p\n\tlayer wifi\n",
		     "map: line 3: a layer must be ethernet or ip, not wifi");
	assert_wrong("event e\n\trole sent\n\tsequence s\n\nevent f\n",
		     "map: line 1: the rule does not tell segments apart: it needs sequence and "
		     "acknowledged, or addresses, ports and one of sequence, tag, or acknowledged "
		     "with state");
	assert_wrong("event e\n\tsequence s\n\tacknowledged a\n",
		     "map: line 1: the rule has neither a role nor a field to join others by");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lttng_headers),
		cmocka_unit_test(lttng_addons),
		cmocka_unit_test(lttng_before_it_knew_ip),
		cmocka_unit_test(states_of_sockets),
		cmocka_unit_test(what_a_socket_hears),
		cmocka_unit_test(packets_that_were_captured),
		cmocka_unit_test(two_tracers_that_tell_different_things),
		cmocka_unit_test(a_tracer_of_ones_own_by_a_map),
		cmocka_unit_test(forms_that_share_too_little),
		cmocka_unit_test(what_may_be_two_segments_is_none),
		cmocka_unit_test(what_is_wrong_in_a_map_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
