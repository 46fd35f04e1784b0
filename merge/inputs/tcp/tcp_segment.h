/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcp_segment.h - reads the TCP segment that an event is about, by a rule of the map (tcp_map.h).
 *
 * It contains the header fields that both machines see alike, even if hardware or kernel split a
 * large segment on the way (TSO, GSO), or join several on arrival (GRO): sender and receiver agree
 * on the first one's place in the stream and its IPv4 identification, but not on its length, its
 * checksum, or the flags that only the last one carries.
 */
#ifndef STRATA_MERGE_INPUTS_TCP_SEGMENT_H
#define STRATA_MERGE_INPUTS_TCP_SEGMENT_H

#include "ctf/trace/ctf_trace.h"
#include "inputs/tcp/tcp_map.h"

/* The form of a packet's bytes. */
#define STRATA_TCP_FORM_OF_PACKET                                                                  \
	(STRATA_TCP_HAS_SOURCE | STRATA_TCP_HAS_DESTINATION | STRATA_TCP_HAS_SOURCE_PORT |         \
	 STRATA_TCP_HAS_DESTINATION_PORT | STRATA_TCP_HAS_SEQUENCE | STRATA_TCP_HAS_ACKNOWLEDGED | \
	 STRATA_TCP_HAS_FLAGS | STRATA_TCP_HAS_ID)

/* Without padding, so that equal segments have equal bytes. */
struct strata_tcp_segment {
	uint8_t source[16]; /* IPv6; of IPv4 as ::ffff:a.b.c.d */
	uint8_t destination[16];
	uint32_t sequence;
	uint32_t acknowledged;
	uint16_t source_port;
	uint16_t destination_port;
	uint16_t flags;
	uint16_t raw_flags;
	uint32_t id; /* IPv4's identification, which differs when a segment is sent again;
		      * 0: none */
	uint32_t tag;
	uint32_t form; /* which of these are known; the rest is 0 */
};

/* Whether segments of such a form can be told apart. */
bool strata_tcp_form_is_enough(uint32_t form);

/* The form that a rule finds in events of a class that it fits: its own, and its optional fields
 * that the class has. */
uint32_t strata_tcp_rule_form(const struct strata_tcp_rule *rule,
			      const struct strata_ctf_event_class *event);

/* Clears what a form does not have. */
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
