/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcp_segment.h - which TCP segment a kernel's event of the network is about, if it is about one.
 *
 * LTTng's net_dev_queue, where a segment leaves a machine, and net_if_receive_skb, where it comes
 * in, carry its headers.  What is kept of them is what both machines see alike, even if hardware
 * or kernel cut a large segment into many on the way (TSO, GSO), or join many on arrival (GRO):
 * then sender and receiver still agree on the first one's place in the stream and its IPv4
 * identification, but not on its length, its checksum, or the flags that the last one carries.
 */
#ifndef STRATA_MERGE_INPUTS_TCP_SEGMENT_H
#define STRATA_MERGE_INPUTS_TCP_SEGMENT_H

#include <stdint.h>

#include "ctf/ctf_trace.h"

enum strata_tcp_role {
	STRATA_TCP_NONE,
	STRATA_TCP_SENT,
	STRATA_TCP_RECEIVED,
};

/* No byte of it is padding, so that segments are the same if their bytes are. */
struct strata_tcp_segment {
	uint8_t source[16]; /* IPv6; of IPv4 as ::ffff:a.b.c.d */
	uint8_t destination[16];
	uint32_t sequence;
	uint32_t acknowledged;
	uint16_t source_port;
	uint16_t destination_port;
	uint16_t flags;
	uint16_t id; /* IPv4's identification, which a segment that is sent again does not share; 0:
		      * none */
};

/* What events of this kind tell, by their name. */
enum strata_tcp_role strata_tcp_role_of(const struct strata_ctf_event_class *event);

/*
 * Reads the segment of an event whose role is not NONE.
 * @cursor: at what follows the event's header
 * False: it is not about TCP, or about a segment that stays on its machine, or does not fit.
 */
bool strata_tcp_segment_read(const struct strata_ctf_stream_class *stream,
			     const struct strata_ctf_event_class *event,
			     struct strata_ctf_cursor cursor, struct strata_tcp_segment *segment);

#endif /* STRATA_MERGE_INPUTS_TCP_SEGMENT_H */
