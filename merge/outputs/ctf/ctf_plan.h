/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_plan.h - the layout in which a trace is rewritten: the start of its packets, and a header
 * before each event so that the event's bytes can be copied unchanged.
 *
 * A packet, in the trace's own byte order, every number aligned to a byte:
 *
 *     header     magic, uuid, stream_id
 *     context    timestamp_begin, timestamp_end, content_size, packet_size,
 *                packet_seq_num, events_discarded, and what else the old one had:
 *                its numbers in whole bytes, strings, and arrays of numbers
 *     events     what contexts and payload need of the old header: their lengths and tags;
 *                the bound of the time (ctf_header.h); id, timestamp; the old bytes of contexts
 *                and payload
 *
 * Event ids are renumbered from 0 within each stream class: readers may use them as array indices.
 *
 * The positions of an event's fields depend on where the event begins, modulo the largest alignment
 * among them. Usually the first structure has the largest alignment, and so aligns the copy. If its
 * alignment is smaller, or less than a byte, a filler makes up for the difference: the header
 * begins with the number of filler bits, one byte, and those bits; then come id and timestamp,
 * unaligned.
 *
 * babeltrace2 2.0.4 expects only ids and times in headers, and crashes on a sequence in one. So the
 * number is the tag of a variant whose options are fillers of different sizes, and both are named
 * "id"; the last field of that name counts. The fields beside the bound have that name, too,
 * because babeltrace2 warns of any other.
 */
#ifndef STRATA_MERGE_OUTPUTS_CTF_PLAN_H
#define STRATA_MERGE_OUTPUTS_CTF_PLAN_H

#include "files/safe_dir.h"
#include "ctf/trace/ctf_trace.h"
#include "ctf/write/ctf_write_tsdl.h"
#include "outputs/ctf/ctf_stream_file.h"

#define STRATA_CTF_PLAN_FILLER_MAX 64u /* bits */

/* A context in the original, and which of its fields are kept, after the plan's own. */
struct strata_ctf_plan_kept {
	const struct strata_ctf_type *was;
	const struct strata_ctf_type *is;
};

/* An integer of the old event header that lengths or tags of the body refer to. */
struct strata_ctf_plan_needed {
	struct strata_ctf_type is; /* with its original slot */
	char name[16];
};

struct strata_ctf_plan_kind {
	const struct strata_ctf_kind_of_stream *kind;
	bool is_flat; /* from CTF 2: events are re-encoded, see ctf_flat.h */
	/* For each event class: alignment of its first field, in bits. */
	uint32_t *aligns;
	uint32_t modulus;                   /* largest size of a filler in bits; 0: no filler */
	struct strata_ctf_packet_form form; /* of its packets */
	struct strata_ctf_type *context;    /* of packets */
	struct strata_ctf_field *fields;    /* of the context */
	struct strata_ctf_type *types;      /* of its fields, and of their elements */
	/* Parallel to the old context's fields; NULL: left out. */
	struct strata_ctf_plan_kept *kept;
	/* Of these, the discarded events by reason; or NULL. */
	const struct strata_ctf_plan_kept *lost;
	bool keeps_any;
	struct strata_ctf_plan_needed *needed; /* start of the events' headers */
	size_t nr_needed;
	size_t needed_bytes;
	struct strata_ctf_type *header; /* of events */
	bool big_endian;                /* byte order of packet headers and event headers */
};

struct strata_ctf_plan {
	const struct strata_ctf_trace *trace;
	const char *name;    /* of its directory */
	const char *source;  /* as shown */
	const char *merge;   /* the same for all traces of the set */
	bool is_on_timeline; /* of the merge */
	/* In the set: its number, and that of the first trace of the same machine, and of the same
	 * clock. */
	size_t place, machine, clock;
	uint8_t uuid[16];
	uint8_t clock_uuid[16];
	uint64_t precision_ns;
	struct strata_ctf_plan_kind *kinds; /* parallel to the trace's */
	struct strata_ctf_arena *arena;     /* owns all of these */
};

/* Reports fields of packets that are left out. Returns 0, or -1: out of memory, or the id of a
 * stream is too large. */
int strata_ctf_plan_init(struct strata_ctf_plan *plan, const struct strata_ctf_trace *trace,
			 struct strata_error *error);

void strata_ctf_plan_clear(struct strata_ctf_plan *plan);

/* Writes the metadata into @dir; NULL: only checks whether it can be written. Returns -1 with the
 * reason: it cannot be written, or events cannot be read without fields of packets' contexts that
 * are not kept. */
int strata_ctf_plan_metadata(const struct strata_ctf_plan *plan, const struct strata_dir *dir,
			     struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_CTF_PLAN_H */
