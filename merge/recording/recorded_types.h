/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorded_types.h - the packet contexts and event headers of recorded sources, as laid out by
 * strata/packet.h, as CTF types.
 */
#ifndef STRATA_MERGE_RECORDED_TYPES_H
#define STRATA_MERGE_RECORDED_TYPES_H

#include <strata/packet.h>

#include "ctf/types/ctf_types.h"

#define STRATA_RECORDED_CONTEXT_FIELDS 9u

/* Contains pointers into itself: do not copy it. */
struct strata_recorded_types {
	struct strata_ctf_type packet_context, event_header;
	struct strata_ctf_type number, ticks, id, pid, lost;
	struct strata_ctf_field context_fields[STRATA_RECORDED_CONTEXT_FIELDS];
	/* Of an event's header: full, and after a tag short or full. */
	struct strata_ctf_type tag, variant, short_time, compact, extended;
	struct strata_ctf_field full_fields[2], short_fields[1], tagged_fields[2], options[2];
	struct strata_ctf_label labels[2];
	struct strata_ctf_choice choices[2];
};

/* @has_pid: packets carry the process id, as known to the recorder */
void strata_recorded_types(struct strata_recorded_types *types, enum strata_header_form form,
			   bool has_pid);

#endif /* STRATA_MERGE_RECORDED_TYPES_H */
