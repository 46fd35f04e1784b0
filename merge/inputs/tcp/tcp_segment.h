/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcp_segment.h - which TCP segment an event is about, as a rule of the map reads it (tcp_map.h).
 *
 * What is kept of headers is what both machines see alike, even if hardware or kernel cut a large
 * segment into many on the way (TSO, GSO), or join many on arrival (GRO): then sender and receiver
 * still agree on the first one's place in the stream and its IPv4 identification, but not on its
 * length, its checksum, or the flags that the last one carries.
 */
#ifndef STRATA_MERGE_INPUTS_TCP_SEGMENT_H
#define STRATA_MERGE_INPUTS_TCP_SEGMENT_H

#include "ctf/trace/ctf_trace.h"
#include "inputs/tcp/tcp_map.h"

/* What the bytes of a packet have. */
#define STRATA_TCP_FORM_OF_PACKET                                                                  \
	(STRATA_TCP_HAS_SOURCE | STRATA_TCP_HAS_DESTINATION | STRATA_TCP_HAS_SOURCE_PORT |         \
	 STRATA_TCP_HAS_DESTINATION_PORT | STRATA_TCP_HAS_SEQUENCE | STRATA_TCP_HAS_ACKNOWLEDGED | \
	 STRATA_TCP_HAS_FLAGS | STRATA_TCP_HAS_ID)

/* No byte of it is padding, so that segments are the same if their bytes are. */
struct strata_tcp_segment {
	uint8_t source[16]; /* IPv6; of IPv4 as ::ffff:a.b.c.d */
	uint8_t destination[16];
	uint32_t sequence;
	uint32_t acknowledged;
	uint16_t source_port;
	uint16_t destination_port;
	uint16_t flags;
	uint16_t raw_flags;
	uint32_t id; /* IPv4's identification, which a segment that is sent again does not share;
		      * 0: none */
	uint32_t tag;
	uint32_t form; /* what of these is known; the rest is 0 */
};

/* Whether segments of such a form can be told apart. */
bool strata_tcp_form_is_enough(uint32_t form);

/* The form of what a rule finds in events of a class that it fits: its own, and what is optional
 * and there. */
uint32_t strata_tcp_rule_form(const struct strata_tcp_rule *rule,
			      const struct strata_ctf_event_class *event);

/* Leaves of a segment what a form has. */
void strata_tcp_segment_reduce(struct strata_tcp_segment *segment, uint32_t form);

/*
 * Reads the segment of an event that a rule fits.
 * @cursor: at what follows the event's header
 * @form:   as strata_tcp_rule_form() has it
 * @join:   OUT, the number that other events about the segment share; may be NULL
 * False: the event is not about TCP, or does not meet the rule's conditions, or is about a segment
 * that stays on its machine, or does not fit its type.
 */
bool strata_tcp_segment_read(const struct strata_ctf_stream_class *stream,
			     const struct strata_ctf_event_class *event,
			     struct strata_ctf_cursor cursor, const struct strata_tcp_rule *rule,
			     uint32_t form, struct strata_tcp_segment *segment, uint64_t *join);

#endif /* STRATA_MERGE_INPUTS_TCP_SEGMENT_H */
