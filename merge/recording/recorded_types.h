/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorded_types.h - what stands in front of a recorded source's events, as types of CTF: the
 * contexts of packets and the headers of events that strata/packet.h lays out.
 */
#ifndef STRATA_MERGE_RECORDED_TYPES_H
#define STRATA_MERGE_RECORDED_TYPES_H

#include <strata/packet.h>

#include "ctf/types/ctf_types.h"

#define STRATA_RECORDED_CONTEXT_FIELDS 9u

/* Points into itself: not to be copied. */
struct strata_recorded_types {
	struct strata_ctf_type packet_context, event_header;
	struct strata_ctf_type number, ticks, id, pid, lost;
	struct strata_ctf_field context_fields[STRATA_RECORDED_CONTEXT_FIELDS];
	/* Of an event's header: in full, and behind a tag in short or in full. */
	struct strata_ctf_type tag, variant, short_time, compact, extended;
	struct strata_ctf_field full_fields[2], short_fields[1], tagged_fields[2], options[2];
	struct strata_ctf_label labels[2];
	struct strata_ctf_choice choices[2];
};

/* @has_pid: packets tell the process, by the recorder's word */
void strata_recorded_types(struct strata_recorded_types *types, enum strata_header_form form,
			   bool has_pid);

#endif /* STRATA_MERGE_RECORDED_TYPES_H */
