// SPDX-License-Identifier: GPL-2.0-or-later
/* tcp_segment.c - see tcp_segment.h. */
#include "inputs/tcp/tcp_segment.h"

#include <string.h>

#include "ctf/values/fields.h"
#include "inputs/tcp/tcp_packet.h"

#define ADDRESSES (STRATA_TCP_HAS_SOURCE | STRATA_TCP_HAS_DESTINATION)
#define PORTS     (STRATA_TCP_HAS_SOURCE_PORT | STRATA_TCP_HAS_DESTINATION_PORT)

/* Linux's struct sockaddr_in6, in which it puts a sockaddr_in as well. */
#define SOCKADDR_BYTES 28u
#define FAMILY_IPV4    2u
#define FAMILY_IPV6    10u

struct reading {
	struct strata_field_visitor visitor;
	const struct strata_tcp_rule *rule;
	struct strata_tcp_segment *segment;
	uint64_t join;
	bool has_join;
	uint32_t has;               /* bits of the form found so far */
	bool is_later_fragment;     /* so it does not begin with a TCP header */
	unsigned int met;           /* number of conditions met */
	enum strata_tcp_part array; /* the part whose array is being read; or NR_PARTS */
	uint8_t bytes[STRATA_TCP_PACKET_BYTES]; /* the bytes of that array so far: */
	uint64_t nr_bytes;
};

bool strata_tcp_form_is_enough(uint32_t form)
{
	const uint32_t numbers = STRATA_TCP_HAS_SEQUENCE | STRATA_TCP_HAS_ACKNOWLEDGED;
	const uint32_t state = STRATA_TCP_HAS_STATE | STRATA_TCP_HAS_ACKNOWLEDGED;

	if ((form & numbers) == numbers)
		return true;
	return (form & (ADDRESSES | PORTS)) == (ADDRESSES | PORTS) &&
	       ((form & (STRATA_TCP_HAS_SEQUENCE | STRATA_TCP_HAS_TAG)) || (form & state) == state);
}

uint32_t strata_tcp_rule_form(const struct strata_tcp_rule *rule,
			      const struct strata_ctf_event_class *event)
{
	struct strata_tcp_rule probe = *rule;

	if (!rule->parts[STRATA_TCP_ID].nr || !rule->parts[STRATA_TCP_ID].is_optional)
		return rule->form;
	probe.parts[STRATA_TCP_ID].is_optional = false;
	return rule->form | (strata_tcp_rule_fits(&probe, event) ? STRATA_TCP_HAS_ID : 0);
}

void strata_tcp_segment_reduce(struct strata_tcp_segment *segment, uint32_t form)
{
	if (!(form & STRATA_TCP_HAS_SOURCE))
		memset(segment->source, 0, 16);
	if (!(form & STRATA_TCP_HAS_DESTINATION))
		memset(segment->destination, 0, 16);
	segment->source_port = form & STRATA_TCP_HAS_SOURCE_PORT ? segment->source_port : 0;
	segment->destination_port =
		form & STRATA_TCP_HAS_DESTINATION_PORT ? segment->destination_port : 0;
	segment->sequence = form & STRATA_TCP_HAS_SEQUENCE ? segment->sequence : 0;
	segment->acknowledged = form & STRATA_TCP_HAS_ACKNOWLEDGED ? segment->acknowledged : 0;
	segment->flags = form & STRATA_TCP_HAS_FLAGS ? segment->flags : 0;
	segment->raw_flags = form & STRATA_TCP_HAS_RAW_FLAGS ? segment->raw_flags : 0;
	segment->id = form & STRATA_TCP_HAS_ID ? segment->id : 0;
	segment->tag = form & STRATA_TCP_HAS_TAG ? segment->tag : 0;
	segment->form = form;
}

/* Returns the part that a field of this name provides for the rule, within a range of parts; or
 * NR_PARTS. */
static enum strata_tcp_part part_of(const struct reading *reading, const char *name)
{
	unsigned int i;

	for (i = 0; i < STRATA_TCP_NR_PARTS; i++) {
		if (reading->rule->parts[i].nr &&
		    strata_tcp_has_name(&reading->rule->parts[i], name))
			break;
	}
	return (enum strata_tcp_part)i;
}

static uint8_t *address_of(struct reading *reading, enum strata_tcp_part part)
{
	return part == STRATA_TCP_SOURCE ? reading->segment->source : reading->segment->destination;
}

/* Takes an address from a 32-bit number. */
static void take_address(struct reading *reading, enum strata_tcp_part part, uint64_t value)
{
	const uint8_t bytes[4] = { (uint8_t)(value >> 24), (uint8_t)(value >> 16),
				   (uint8_t)(value >> 8), (uint8_t)value };

	strata_tcp_map_ipv4(address_of(reading, part), bytes);
	reading->has |= 1u << part;
}

static void take_number(struct reading *reading, enum strata_tcp_part part,
			const struct strata_ctf_type *type, uint64_t value)
{
	struct strata_tcp_segment *segment = reading->segment;

	switch (part) {
	case STRATA_TCP_SOURCE:
	case STRATA_TCP_DESTINATION:
		if (type->bits == 32)
			take_address(reading, part, value);
		return;
	case STRATA_TCP_SOURCE_PORT:
		segment->source_port = (uint16_t)value;
		break;
	case STRATA_TCP_DESTINATION_PORT:
		segment->destination_port = (uint16_t)value;
		break;
	case STRATA_TCP_SEQUENCE:
		segment->sequence = (uint32_t)value;
		break;
	case STRATA_TCP_ACKNOWLEDGED:
		segment->acknowledged = (uint32_t)value;
		break;
	case STRATA_TCP_FLAGS:
		segment->flags = (uint16_t)(value & ~STRATA_TCP_FLAGS_OF_OTHERS);
		break;
	case STRATA_TCP_RAW_FLAGS:
		segment->raw_flags = (uint16_t)value;
		break;
	case STRATA_TCP_ID:
		segment->id = (uint16_t)value;
		break;
	case STRATA_TCP_FRAGMENT:
		reading->is_later_fragment = value & STRATA_TCP_FRAGMENT_OFFSET;
		return;
	case STRATA_TCP_JOIN:
		reading->join = value;
		reading->has_join = true;
		return;
	case STRATA_TCP_PACKET:
	case STRATA_TCP_NR_PARTS:
		return;
	}
	/* The first bits of a form are in the order of the parts. */
	reading->has |= 1u << part;
}

/* Takes an element of an array: an IPv4 address consists of bytes, an IPv6 address of bytes or
 * 16-bit words. */
static void take_element(struct reading *reading, unsigned int bits, uint64_t value)
{
	for (; bits >= 8; bits -= 8) {
		if (reading->nr_bytes < sizeof(reading->bytes))
			reading->bytes[reading->nr_bytes] = (uint8_t)(value >> (bits - 8));
		reading->nr_bytes++;
	}
}

static void on_number(struct strata_field_visitor *visitor, const char *name,
		      const struct strata_ctf_type *type, uint64_t value)
{
	struct reading *reading = (struct reading *)visitor;
	const struct strata_tcp_rule *rule = reading->rule;
	size_t i;

	if (reading->array != STRATA_TCP_NR_PARTS) {
		take_element(reading, type->bits, value);
		return;
	}
	if (!name)
		return;
	for (i = 0; i < rule->nr_conditions; i++) {
		if (strcmp(rule->conditions[i].field, name) == 0 &&
		    rule->conditions[i].value == value)
			reading->met |= 1u << i;
	}
	take_number(reading, part_of(reading, name), type, value);
}

static bool is_array(const struct strata_ctf_type *type)
{
	return type->kind == STRATA_CTF_ARRAY || type->kind == STRATA_CTF_SEQUENCE;
}

static void on_begin(struct strata_field_visitor *visitor, const char *name,
		     const struct strata_ctf_type *type, uint64_t length)
{
	struct reading *reading = (struct reading *)visitor;
	enum strata_tcp_part part;

	(void)length;
	if (reading->array != STRATA_TCP_NR_PARTS || !name || !is_array(type))
		return;
	part = part_of(reading, name);
	if (part != STRATA_TCP_SOURCE && part != STRATA_TCP_DESTINATION &&
	    part != STRATA_TCP_PACKET)
		return;
	reading->array = part;
	reading->nr_bytes = 0;
}

/* Takes an address, plain or within a socket address. */
static void end_address(struct reading *reading)
{
	uint8_t *address = address_of(reading, reading->array);
	const uint8_t *bytes = reading->bytes;
	/* The family is in the machine's byte order. */
	const unsigned int family = bytes[0] | bytes[1];

	if (reading->nr_bytes == 4)
		strata_tcp_map_ipv4(address, bytes);
	else if (reading->nr_bytes == 16)
		memcpy(address, bytes, 16);
	else if (reading->nr_bytes == SOCKADDR_BYTES && family == FAMILY_IPV4)
		strata_tcp_map_ipv4(address, bytes + 4);
	else if (reading->nr_bytes == SOCKADDR_BYTES && family == FAMILY_IPV6)
		memcpy(address, bytes + 8, 16);
	else
		return;
	reading->has |= 1u << reading->array;
}

static void on_end(struct strata_field_visitor *visitor, const struct strata_ctf_type *type)
{
	struct reading *reading = (struct reading *)visitor;
	const size_t nr = reading->nr_bytes < sizeof(reading->bytes) ? (size_t)reading->nr_bytes
								     : sizeof(reading->bytes);

	if (reading->array == STRATA_TCP_NR_PARTS || !is_array(type))
		return;
	if (reading->array != STRATA_TCP_PACKET)
		end_address(reading);
	else if (strata_tcp_packet_read(reading->bytes, nr, reading->rule->layer, reading->segment))
		reading->has |= STRATA_TCP_FORM_OF_PACKET;
	reading->array = STRATA_TCP_NR_PARTS;
}

/* 127.x.y.z or ::1, which is a different address on each machine. */
static bool is_loopback(const uint8_t address[16])
{
	static const uint8_t ipv4[13] = { [10] = 0xff, [11] = 0xff, [12] = 127 };
	static const uint8_t ipv6[16] = { [15] = 1 };

	return !memcmp(address, ipv4, sizeof(ipv4)) || !memcmp(address, ipv6, sizeof(ipv6));
}

/* Swaps source and destination: the socket's own end is the receiver's. */
static void swap_ends(struct strata_tcp_segment *segment)
{
	const uint16_t port = segment->source_port;
	uint8_t address[16];

	memcpy(address, segment->source, 16);
	memcpy(segment->source, segment->destination, 16);
	memcpy(segment->destination, address, 16);
	segment->source_port = segment->destination_port;
	segment->destination_port = port;
}

bool strata_tcp_segment_read(const struct strata_ctf_stream_class *stream,
			     const struct strata_ctf_event_class *event,
			     struct strata_ctf_cursor cursor, const struct strata_tcp_rule *rule,
			     uint32_t form, struct strata_tcp_segment *segment, uint64_t *join)
{
	const uint32_t said = STRATA_TCP_HAS_TAG | STRATA_TCP_HAS_STATE | STRATA_TCP_DIALECT;
	struct reading reading = {
		.visitor = { .number = on_number, .begin = on_begin, .end = on_end },
		.rule = rule,
		.segment = segment,
		.array = STRATA_TCP_NR_PARTS,
	};
	uint32_t wanted = form & ~said;

	memset(segment, 0, sizeof(*segment));
	if (stream->event_context && !strata_ctf_skip(&cursor, stream->event_context))
		return false;
	if (event->context && !strata_ctf_skip(&cursor, event->context))
		return false;
	if (!strata_field_visit(&reading.visitor, NULL, event->payload, &cursor))
		return false;
	/* IPv6 has no identification. */
	if (rule->parts[STRATA_TCP_ID].is_optional)
		wanted &= ~(uint32_t)STRATA_TCP_HAS_ID;
	if ((reading.has & wanted) != wanted || reading.is_later_fragment ||
	    reading.met != (1u << rule->nr_conditions) - 1 ||
	    (rule->parts[STRATA_TCP_JOIN].nr && !reading.has_join) ||
	    is_loopback(segment->source) || is_loopback(segment->destination))
		return false;
	if (rule->swaps)
		swap_ends(segment);
	segment->tag = rule->tag;
	strata_tcp_segment_reduce(segment, form);
	if (join)
		*join = reading.join;
	return true;
}
