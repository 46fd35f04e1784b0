/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcp_segment.h - reads the TCP segment that an event is about, by a rule of the map (tcp_map.h).
 *
 * It contains the header fields that both machines see alike, even if hardware or kernel split a
 * large segment on the way (TSO, GSO), or join several on arrival (GRO): sender and receiver agree
 * on the position of the first part in the stream and its IPv4 identification, but not on its
 * length, its checksum, or the flags that only the last part carries.
 */
#ifndef STRATA_MERGE_INPUTS_TCP_SEGMENT_H
#define STRATA_MERGE_INPUTS_TCP_SEGMENT_H

#include "ctf/trace/ctf_trace.h"
#include "inputs/tcp/tcp_map.h"

/* The form that the bytes of a packet give. */
#define STRATA_TCP_FORM_OF_PACKET                                                                  \
	(STRATA_TCP_HAS_SOURCE | STRATA_TCP_HAS_DESTINATION | STRATA_TCP_HAS_SOURCE_PORT |         \
	 STRATA_TCP_HAS_DESTINATION_PORT | STRATA_TCP_HAS_SEQUENCE | STRATA_TCP_HAS_ACKNOWLEDGED | \
	 STRATA_TCP_HAS_FLAGS | STRATA_TCP_HAS_ID)

/* No padding, so that equal segments have equal bytes. */
struct strata_tcp_segment {
	uint8_t source[16]; /* IPv6; of IPv4 as ::ffff:a.b.c.d */
	uint8_t destination[16];
	uint32_t sequence;
	uint32_t acknowledged;
	uint16_t source_port;
	uint16_t destination_port;
	uint16_t flags;
	uint16_t raw_flags;
	/* IPv4's identification, which differs when a segment is sent again; 0: none. */
	uint32_t id;
	uint32_t tag;
	uint32_t form; /* which of these are known; the others are 0 */
};

/* Whether segments of this form can be told apart. */
bool strata_tcp_form_is_enough(uint32_t form);

/* Returns the form that a rule finds in events of a class: its mandatory fields, and those of its
 * optional fields that the class has. */
uint32_t strata_tcp_rule_form(const struct strata_tcp_rule *rule,
			      const struct strata_ctf_event_class *event);

/* Clears the numbers that a form does not have. */
void strata_tcp_segment_reduce(struct strata_tcp_segment *segment, uint32_t form);

/*
 * Reads the segment of an event to which a rule applies.
 * @cursor: after the event's header
 * @form: from strata_tcp_rule_form()
 * @join:   OUT, the number that other events about the segment share; may be NULL
 * Returns false if the event is not about TCP, does not meet the rule's conditions, is about a
 * loopback segment, or does not fit its type.
 */
bool strata_tcp_segment_read(const struct strata_ctf_stream_class *stream,
			     const struct strata_ctf_event_class *event,
			     struct strata_ctf_cursor cursor, const struct strata_tcp_rule *rule,
			     uint32_t form, struct strata_tcp_segment *segment, uint64_t *join);

#endif /* STRATA_MERGE_INPUTS_TCP_SEGMENT_H */
