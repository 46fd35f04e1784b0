/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_event_types.h - converts the description of an event, as tracers send it (strata/event.h), to
 * CTF types.
 */
#ifndef STRATA_MERGE_CTF_EVENT_TYPES_H
#define STRATA_MERGE_CTF_EVENT_TYPES_H

#include <strata/event.h>

#include "ctf/types/ctf_types.h"

/* Contains pointers into itself and into the description: do not copy it. */
struct strata_ctf_event_types {
	struct strata_ctf_type structure;
	struct strata_ctf_field fields[2 * STRATA_EVENT_FIELDS_MAX]; /* lengths of sequences, too */
	struct strata_ctf_type types[STRATA_EVENT_FIELDS_MAX];
	struct strata_ctf_type elements[STRATA_EVENT_FIELDS_MAX];
	struct strata_ctf_type lengths[STRATA_EVENT_FIELDS_MAX];
	char length_names[STRATA_EVENT_FIELDS_MAX][STRATA_FIELD_NAME_BYTES + 8];
};

/* An integer of the machine's byte order. */
struct strata_ctf_type strata_ctf_integer(unsigned int bits, unsigned int align);

/* A structure of fields. */
struct strata_ctf_type strata_ctf_struct(const struct strata_ctf_field *fields, size_t nr,
					 unsigned int align);

/*
 * Makes the structure of an event's fields, or of a context's: each as event.h lays it out. The
 * length of a sequence NAME is a preceding field _NAME_length. @types: OUT
 */
void strata_ctf_event_types(struct strata_ctf_event_types *types,
			    const struct strata_event_desc *event);

#endif /* STRATA_MERGE_CTF_EVENT_TYPES_H */
