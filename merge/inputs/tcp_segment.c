// SPDX-License-Identifier: GPL-2.0-or-later
/* tcp_segment.c - see tcp_segment.h. */
#include "inputs/tcp_segment.h"

#include <string.h>

#include "fields.h"

/* Flags that a segment made of several has from others than its first. */
#define FLAGS_OF_OTHERS 0x89u /* CWR, PSH, FIN */

#define FRAGMENT_OFFSET 0x1fffu

/* What of a segment has been read. */
enum {
	HAS_SOURCE = 1,
	HAS_DESTINATION = 2,
	HAS_SEQUENCE = 4,
	HAS_ACKNOWLEDGED = 8,
	HAS_SOURCE_PORT = 16,
	HAS_DESTINATION_PORT = 32,
	HAS_FLAGS = 64,
	HAS_ALL = 127,
};

struct reading {
	struct strata_field_visitor visitor;
	struct strata_tcp_segment *segment;
	unsigned int has;
	bool is_later_fragment; /* and so begins with no header of TCP */
	uint8_t *address;       /* the one whose elements are read; or NULL */
	unsigned int address_bytes;
};

enum strata_tcp_role strata_tcp_role_of(const struct strata_ctf_event_class *event)
{
	if (!event->payload)
		return STRATA_TCP_NONE;
	if (!strcmp(event->name, "net_dev_queue"))
		return STRATA_TCP_SENT;
	if (!strcmp(event->name, "net_if_receive_skb"))
		return STRATA_TCP_RECEIVED;
	return STRATA_TCP_NONE;
}

/* An element of an address: IPv4's have one byte, IPv6's two. */
static void address_element(struct reading *reading, unsigned int bits, uint64_t value)
{
	for (; bits >= 8; bits -= 8) {
		if (reading->address_bytes < 16)
			reading->address[reading->address_bytes] = (uint8_t)(value >> (bits - 8));
		reading->address_bytes++;
	}
}

static void on_number(struct strata_field_visitor *visitor, const char *name,
		      const struct strata_ctf_type *type, uint64_t value)
{
	struct reading *reading = (struct reading *)visitor;
	struct strata_tcp_segment *segment = reading->segment;

	if (reading->address) {
		address_element(reading, type->bits, value);
	} else if (!name) {
		return;
	} else if (!strcmp(name, "seq")) {
		segment->sequence = (uint32_t)value;
		reading->has |= HAS_SEQUENCE;
	} else if (!strcmp(name, "ack_seq")) {
		segment->acknowledged = (uint32_t)value;
		reading->has |= HAS_ACKNOWLEDGED;
	} else if (!strcmp(name, "source_port")) {
		segment->source_port = (uint16_t)value;
		reading->has |= HAS_SOURCE_PORT;
	} else if (!strcmp(name, "dest_port")) {
		segment->destination_port = (uint16_t)value;
		reading->has |= HAS_DESTINATION_PORT;
	} else if (!strcmp(name, "flags")) {
		segment->flags = (uint16_t)(value & ~FLAGS_OF_OTHERS);
		reading->has |= HAS_FLAGS;
	} else if (!strcmp(name, "id")) {
		segment->id = (uint16_t)value;
	} else if (!strcmp(name, "frag_off")) {
		reading->is_later_fragment = value & FRAGMENT_OFFSET;
	}
}

static void on_begin(struct strata_field_visitor *visitor, const char *name,
		     const struct strata_ctf_type *type, uint64_t length)
{
	struct reading *reading = (struct reading *)visitor;

	(void)length;
	if (reading->address || !name || type->kind != STRATA_CTF_ARRAY)
		return;
	if (!strcmp(name, "saddr"))
		reading->address = reading->segment->source;
	else if (!strcmp(name, "daddr"))
		reading->address = reading->segment->destination;
	reading->address_bytes = 0;
}

static void on_end(struct strata_field_visitor *visitor, const struct strata_ctf_type *type)
{
	struct reading *reading = (struct reading *)visitor;
	uint8_t *address = reading->address;

	if (!address || type->kind != STRATA_CTF_ARRAY)
		return;
	if (reading->address_bytes == 4) {
		memmove(address + 12, address, 4);
		memset(address, 0, 10);
		memset(address + 10, 0xff, 2);
	}
	if (reading->address_bytes == 4 || reading->address_bytes == 16)
		reading->has |= address == reading->segment->source ? HAS_SOURCE : HAS_DESTINATION;
	reading->address = NULL;
}

/* 127.x.y.z or ::1: each machine has its own. */
static bool is_loopback(const uint8_t address[16])
{
	static const uint8_t ipv4[13] = { [10] = 0xff, [11] = 0xff, [12] = 127 };
	static const uint8_t ipv6[16] = { [15] = 1 };

	return !memcmp(address, ipv4, sizeof(ipv4)) || !memcmp(address, ipv6, sizeof(ipv6));
}

bool strata_tcp_segment_read(const struct strata_ctf_stream_class *stream,
			     const struct strata_ctf_event_class *event,
			     struct strata_ctf_cursor cursor, struct strata_tcp_segment *segment)
{
	struct reading reading = {
		.visitor = { .number = on_number, .begin = on_begin, .end = on_end },
		.segment = segment,
	};

	memset(segment, 0, sizeof(*segment));
	if (stream->event_context && !strata_ctf_skip(&cursor, stream->event_context))
		return false;
	if (event->context && !strata_ctf_skip(&cursor, event->context))
		return false;
	if (!strata_field_visit(&reading.visitor, NULL, event->payload, &cursor))
		return false;
	return reading.has == HAS_ALL && !reading.is_later_fragment &&
	       !is_loopback(segment->source) && !is_loopback(segment->destination);
}
