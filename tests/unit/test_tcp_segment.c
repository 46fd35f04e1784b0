// SPDX-License-Identifier: GPL-2.0-or-later
/* test_tcp_segment.c - TCP segments in LTTng's network events, and events without any. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "inputs/tcp/tcp_segment.h"

/* Types as LTTng's metadata has them: headers are in network byte order. */
#define NUMBER(b, a)                                                                       \
	{                                                                                  \
		.kind = STRATA_CTF_INTEGER, .bits = (b), .align = (a), .big_endian = true, \
		.slot = STRATA_CTF_NO_SLOT, .clock = STRATA_CTF_NO_CLOCK                   \
	}
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define STRUCTURE(list)                                                                           \
	{                                                                                         \
		.kind = STRATA_CTF_STRUCT, .align = 8, .fields = (list), .nr_fields = COUNT(list) \
	}

enum { SLOT_NETWORK, SLOT_TRANSPORT };

static const struct strata_ctf_type u3 = NUMBER(3, 1), u4 = NUMBER(4, 4), u8 = NUMBER(8, 8),
				    u9 = NUMBER(9, 1), u16 = NUMBER(16, 8), u32 = NUMBER(32, 8);
static const struct strata_ctf_type u64 = { .kind = STRATA_CTF_INTEGER,
					    .bits = 64,
					    .align = 8,
					    .slot = STRATA_CTF_NO_SLOT,
					    .clock = STRATA_CTF_NO_CLOCK };
static const struct strata_ctf_type network_tag = { .kind = STRATA_CTF_INTEGER,
						    .bits = 8,
						    .align = 8,
						    .slot = SLOT_NETWORK,
						    .clock = STRATA_CTF_NO_CLOCK };
static const struct strata_ctf_type transport_tag = { .kind = STRATA_CTF_INTEGER,
						      .bits = 8,
						      .align = 8,
						      .slot = SLOT_TRANSPORT,
						      .clock = STRATA_CTF_NO_CLOCK };
static const struct strata_ctf_type text = { .kind = STRATA_CTF_STRING, .align = 8 };
static const struct strata_ctf_type ipv4_address = {
	.kind = STRATA_CTF_ARRAY, .align = 8, .element = &u8, .length = 4
};
static const struct strata_ctf_type ipv6_address = {
	.kind = STRATA_CTF_ARRAY, .align = 8, .element = &u16, .length = 8
};
static const struct strata_ctf_type flow_label = {
	.kind = STRATA_CTF_ARRAY, .align = 8, .element = &u8, .length = 3
};

static const struct strata_ctf_field tcp_fields[] = {
	{ "source_port", &u16 }, { "dest_port", &u16 }, { "seq", &u32 },  { "ack_seq", &u32 },
	{ "data_offset", &u4 },  { "reserved", &u3 },   { "flags", &u9 }, { "window_size", &u16 },
	{ "checksum", &u16 },    { "urg_ptr", &u16 },
};
static const struct strata_ctf_field udp_fields[] = {
	{ "source_port", &u16 },
	{ "dest_port", &u16 },
	{ "len", &u16 },
	{ "check", &u16 },
};
static const struct strata_ctf_type nothing = { .kind = STRATA_CTF_STRUCT, .align = 8 };
static const struct strata_ctf_type tcp = STRUCTURE(tcp_fields), udp = STRUCTURE(udp_fields);
static const struct strata_ctf_field transports[] = {
	{ "unknown", &nothing },
	{ "tcp", &tcp },
	{ "udp", &udp },
};
static const struct strata_ctf_choice choices[] = { { 0, 0, 0 }, { 1, 1, 1 }, { 2, 2, 2 } };
static const struct strata_ctf_type transport_header = {
	.kind = STRATA_CTF_VARIANT,
	.align = 1,
	.slot = SLOT_TRANSPORT,
	.fields = transports,
	.nr_fields = 3,
	.choices = choices,
	.nr_choices = 3,
};
static const struct strata_ctf_field ipv4_fields[] = {
	{ "version", &u4 },
	{ "ihl", &u4 },
	{ "tos", &u8 },
	{ "tot_len", &u16 },
	{ "id", &u16 },
	{ "frag_off", &u16 },
	{ "ttl", &u8 },
	{ "protocol", &u8 },
	{ "checksum", &u16 },
	{ "saddr", &ipv4_address },
	{ "daddr", &ipv4_address },
	{ "transport_header_type", &transport_tag },
	{ "transport_header", &transport_header },
};
static const struct strata_ctf_field ipv6_fields[] = {
	{ "version", &u4 },
	{ "prio", &u4 },
	{ "flow_lbl", &flow_label },
	{ "payload_len", &u16 },
	{ "nexthdr", &u8 },
	{ "hop_limit", &u8 },
	{ "saddr", &ipv6_address },
	{ "daddr", &ipv6_address },
	{ "transport_header_type", &transport_tag },
	{ "transport_header", &transport_header },
};
static const struct strata_ctf_type ipv4 = STRUCTURE(ipv4_fields), ipv6 = STRUCTURE(ipv6_fields);
static const struct strata_ctf_field networks[] = {
	{ "unknown", &nothing },
	{ "ipv4", &ipv4 },
	{ "ipv6", &ipv6 },
};
static const struct strata_ctf_type network_header = {
	.kind = STRATA_CTF_VARIANT,
	.align = 1,
	.slot = SLOT_NETWORK,
	.fields = networks,
	.nr_fields = 3,
	.choices = choices,
	.nr_choices = 3,
};
static const struct strata_ctf_field fields[] = {
	{ "skbaddr", &u64 },
	{ "len", &u32 },
	{ "name", &text },
	{ "network_header_type", &network_tag },
	{ "network_header", &network_header },
};
static const struct strata_ctf_type payload = STRUCTURE(fields);
static const struct strata_ctf_field context_fields[] = { { "id", &u64 }, { "flags", &u16 } };
static const struct strata_ctf_type context = STRUCTURE(context_fields);

#define IPV4_AT  (8 + 4 + 5 + 1)
#define TCP_AT   (IPV4_AT + 20 + 1)
#define BYTES    (TCP_AT + 20)
#define TCP6_AT  (IPV4_AT + 40 + 1)
#define BYTES6   (TCP6_AT + 20)
#define MAX_ROOM (BYTES6 + STRATA_CTF_PADDING)

/* A segment that LTTng recorded, from 10.0.0.1 port 44696 to 10.0.0.2 port 7000. */
static const uint8_t recorded[MAX_ROOM] = {
	0xe8, 0x1c, 0xaa, 0x2d, 0x80, 0x88, 0xff, 0xff,                         /* skbaddr */
	0,    0,    0,    74,                                                   /* len */
	'e',  't',  'h',  '0',  0,                                              /* name */
	1,                                                                      /* IPv4 */
	0x45, 0,    0,    60,   0x3e, 0x12, 0x40, 0,    64,   6,    0xe8, 0xa7, /* its header */
	10,   0,    0,    1,    10,   0,    0,    2,                            /* addresses */
	1,                                                                      /* TCP */
	0xae, 0x98, 0x1b, 0x58, 0x34, 0x4a, 0x70, 0x35, 0xb6, 0x84, 0x31, 0x63, /* its header */
	0x80, 0x18, 0x01, 0xf6, 0x14, 0x31, 0,    0,
};

static struct strata_tcp_map map;

/* The built-in rule for LTTng's events of a packet that leaves. */
static const struct strata_tcp_rule *rule(void)
{
	return &map.rules[0];
}

static int set_up(void **state)
{
	struct strata_error error;

	(void)state;
	return strata_tcp_map_make(&map, NULL, NULL, &error);
}

static int tear_down(void **state)
{
	(void)state;
	strata_tcp_map_clear(&map);
	return 0;
}

static bool read_bytes(const uint8_t *bytes, size_t nr, const struct strata_ctf_type *before,
		       struct strata_tcp_segment *segment)
{
	const struct strata_ctf_stream_class stream = { .event_context = before };
	const struct strata_ctf_event_class event = { .name = "net_dev_queue",
						      .context = before,
						      .payload = &payload };
	uint64_t slots[STRATA_CTF_SLOTS_MAX];
	const struct strata_ctf_cursor cursor = { bytes, 0, nr * 8, slots };

	return strata_tcp_segment_read(&stream, &event, cursor, rule(),
				       strata_tcp_rule_form(rule(), &event), segment, NULL);
}

static void a_segment_is_read(void **state)
{
	static const uint8_t source[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 };
	static const uint8_t destination[16] = { [10] = 0xff, 0xff, 10, 0, 0, 2 };
	struct strata_tcp_segment segment;

	(void)state;
	assert_true(read_bytes(recorded, BYTES, NULL, &segment));
	assert_memory_equal(segment.source, source, 16);
	assert_memory_equal(segment.destination, destination, 16);
	assert_int_equal(segment.source_port, 44696);
	assert_int_equal(segment.destination_port, 7000);
	assert_int_equal(segment.sequence, 877293621);
	assert_int_equal(segment.acknowledged, 3062116707u);
	assert_int_equal(segment.id, 0x3e12);
	assert_int_equal(segment.flags, 0x10);
}

static void contexts_before_it_are_left_out(void **state)
{
	uint8_t bytes[20 + MAX_ROOM] = { 0xff, 0xff };
	struct strata_tcp_segment segment;

	(void)state;
	memcpy(bytes + 20, recorded, BYTES);
	assert_true(read_bytes(bytes, 20 + BYTES, &context, &segment));
	assert_int_equal(segment.id, 0x3e12);
	assert_int_equal(segment.flags, 0x10);
}

/* The differences between the sender's and the receiver's event of one segment. */
static void both_machines_read_the_same(void **state)
{
	uint8_t bytes[MAX_ROOM];
	struct strata_tcp_segment one, other;

	(void)state;
	memcpy(bytes, recorded, MAX_ROOM);
	bytes[0] ^= 0xff;            /* where the kernel has it */
	bytes[IPV4_AT + 2] = 0x60;   /* a length of several segments */
	bytes[IPV4_AT + 8] = 63;     /* time to live */
	bytes[IPV4_AT + 10] ^= 0xff; /* checksums */
	bytes[TCP_AT + 16] ^= 0xff;
	bytes[TCP_AT + 13] ^= 0x89; /* CWR, PSH, FIN */
	assert_true(read_bytes(recorded, BYTES, NULL, &one));
	assert_true(read_bytes(bytes, BYTES, NULL, &other));
	assert_memory_equal(&one, &other, sizeof(one));
}

static void another_segment_reads_as_another(void **state)
{
	static const size_t places[] = { IPV4_AT + 5, IPV4_AT + 12, IPV4_AT + 19, TCP_AT + 1,
					 TCP_AT + 3,  TCP_AT + 7,   TCP_AT + 11,  TCP_AT + 13 };
	struct strata_tcp_segment one, other;
	size_t i;

	(void)state;
	assert_true(read_bytes(recorded, BYTES, NULL, &one));
	for (i = 0; i < COUNT(places); i++) {
		uint8_t bytes[MAX_ROOM];

		memcpy(bytes, recorded, MAX_ROOM);
		bytes[places[i]] ^= 0x02;
		assert_true(read_bytes(bytes, BYTES, NULL, &other));
		assert_memory_not_equal(&one, &other, sizeof(one));
	}
}

static void ipv6_is_read(void **state)
{
	uint8_t bytes[MAX_ROOM];
	struct strata_tcp_segment segment;

	(void)state;
	memcpy(bytes, recorded, MAX_ROOM);
	bytes[IPV4_AT - 1] = 2;
	memset(bytes + IPV4_AT, 0x11, 8);
	memset(bytes + IPV4_AT + 8, 0xa5, 16);
	memset(bytes + IPV4_AT + 24, 0x5a, 16);
	bytes[IPV4_AT + 8] = 0xfe;
	memcpy(bytes + TCP6_AT - 1, recorded + TCP_AT - 1, 21);
	assert_true(read_bytes(bytes, BYTES6, NULL, &segment));
	assert_memory_equal(segment.source, bytes + IPV4_AT + 8, 16);
	assert_memory_equal(segment.destination, bytes + IPV4_AT + 24, 16);
	assert_int_equal(segment.sequence, 877293621);
	assert_int_equal(segment.id, 0);
}

/* Changes one byte of a good event: it is not a segment then. */
static void assert_none(size_t at, uint8_t value)
{
	uint8_t bytes[MAX_ROOM];
	struct strata_tcp_segment segment;

	memcpy(bytes, recorded, MAX_ROOM);
	bytes[at] = value;
	assert_false(read_bytes(bytes, BYTES, NULL, &segment));
}

static void what_is_no_segment_is_told_apart(void **state)
{
	struct strata_tcp_segment segment;
	size_t nr;

	(void)state;
	assert_none(IPV4_AT - 1, 0);    /* no header of a network known */
	assert_none(IPV4_AT - 1, 3);    /* nor one that the metadata know */
	assert_none(TCP_AT - 1, 0);     /* no transport known */
	assert_none(TCP_AT - 1, 2);     /* UDP */
	assert_none(IPV4_AT + 7, 185);  /* a fragment from the middle */
	assert_none(IPV4_AT + 12, 127); /* from this machine, */
	assert_none(IPV4_AT + 16, 127); /* to this machine */
	for (nr = 0; nr < BYTES; nr++)
		assert_false(read_bytes(recorded, nr, NULL, &segment));
}

/* Metadata can contain anything. */
static void a_long_address_is_none(void **state)
{
	static const uint8_t bytes[4096 + STRATA_CTF_PADDING];
	static const struct strata_ctf_type address = {
		.kind = STRATA_CTF_ARRAY, .align = 8, .element = &u8, .length = 4096
	};
	static const struct strata_ctf_field long_fields[] = { { "saddr", &address } };
	static const struct strata_ctf_type long_payload = STRUCTURE(long_fields);
	const struct strata_ctf_stream_class stream = { .event_context = NULL };
	const struct strata_ctf_event_class event = { .name = "net_dev_queue",
						      .payload = &long_payload };
	const struct strata_ctf_cursor cursor = { bytes, 0, 4096 * 8, NULL };
	struct strata_tcp_segment segment;

	(void)state;
	assert_false(strata_tcp_segment_read(&stream, &event, cursor, rule(), rule()->form,
					     &segment, NULL));
}

/* The role of the first rule that fits. */
static enum strata_tcp_role role_of(const struct strata_ctf_event_class *event)
{
	size_t i;

	for (i = 0; i < map.nr; i++) {
		if (strata_tcp_rule_fits(&map.rules[i], event))
			return map.rules[i].role;
	}
	return STRATA_TCP_NONE;
}

static void events_are_known_by_name_and_fields(void **state)
{
	static const struct strata_ctf_field few[] = { { "skbaddr", &u64 }, { "len", &u32 } };
	static const struct strata_ctf_type poor = STRUCTURE(few);
	struct strata_ctf_event_class event = { .name = "net_dev_queue", .payload = &payload };

	(void)state;
	assert_int_equal(role_of(&event), STRATA_TCP_SENT);
	event.name = "net_if_receive_skb";
	assert_int_equal(role_of(&event), STRATA_TCP_RECEIVED);
	event.payload = NULL;
	assert_int_equal(role_of(&event), STRATA_TCP_NONE);
	event.payload = &poor;
	assert_int_equal(role_of(&event), STRATA_TCP_NONE);
	event.payload = &payload;
	event.name = "net_dev_xmit";
	assert_int_equal(role_of(&event), STRATA_TCP_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_segment_is_read),
		cmocka_unit_test(contexts_before_it_are_left_out),
		cmocka_unit_test(both_machines_read_the_same),
		cmocka_unit_test(another_segment_reads_as_another),
		cmocka_unit_test(ipv6_is_read),
		cmocka_unit_test(what_is_no_segment_is_told_apart),
		cmocka_unit_test(a_long_address_is_none),
		cmocka_unit_test(events_are_known_by_name_and_fields),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
