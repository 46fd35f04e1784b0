/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_plan.h - how a trace is written anew: what its packets begin with, and what
 * has to stand in front of each event's bytes so that they can be copied as they are.
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
 * Events are numbered from 0 within their kind of stream: readers may have an array by id.
 *
 * Where the fields of an event are depends on where it begins, modulo the largest
 * alignment among them.  The first structure's own alignment mostly is the largest; then
 * it puts the copy in the right place.  Where it is less, or less than a byte, a filler makes
 * up for the difference: the header begins with the number of bits of it, a byte, and those bits;
 * then come id and timestamp, aligned to nothing.  babeltrace2 2.0.4 has it that headers hold
 * nothing but ids and times, and crashes on a sequence in one; so the number is a tag, each
 * option a filler of another size, and both have the name "id", of which the last one counts.
 * For the same reason what stands beside the bound has that name: it warns of any other.
 */
#ifndef STRATA_MERGE_OUTPUTS_CTF_PLAN_H
#define STRATA_MERGE_OUTPUTS_CTF_PLAN_H

#include "files/safe_dir.h"
#include "ctf/trace/ctf_trace.h"
#include "ctf/write/ctf_write_tsdl.h"
#include "outputs/ctf/ctf_stream_file.h"

#define STRATA_CTF_PLAN_FILLER_MAX 64u /* bits */

/* A context as it was: which of its fields are kept, behind the plan's own. */
struct strata_ctf_plan_kept {
	const struct strata_ctf_type *was;
	const struct strata_ctf_type *is;
};

/* An integer of the old event header that lengths or tags of the body refer to. */
struct strata_ctf_plan_needed {
	struct strata_ctf_type is; /* with the slot that it had */
	char name[16];
};

struct strata_ctf_plan_kind {
	const struct strata_ctf_kind_of_stream *kind;
	bool is_flat; /* of CTF 2: events' bytes are made anew, as ctf_flat.h has it */
	/* For each of its events: bits that its first field is aligned to. */
	uint32_t *aligns;
	uint32_t modulus;                   /* largest size of a filler in bits; 0: no filler */
	struct strata_ctf_packet_form form; /* of its packets */
	struct strata_ctf_type *context;    /* of packets */
	struct strata_ctf_field *fields;    /* of the context */
	struct strata_ctf_type *types;      /* of its fields, and of their elements */
	struct strata_ctf_plan_kept *kept;  /* as the old context's fields; NULL in it: left out */
	const struct strata_ctf_plan_kept *lost; /* of these: discarded events by reason; or NULL */
	bool keeps_any;
	struct strata_ctf_plan_needed *needed; /* what events' headers begin with */
	size_t nr_needed;
	size_t needed_bytes;
	struct strata_ctf_type *header; /* of events */
	bool big_endian;                /* as packets' heads and events' headers are written */
};

struct strata_ctf_plan {
	const struct strata_ctf_trace *trace;
	const char *name;    /* of its directory */
	const char *source;  /* as it is shown */
	const char *merge;   /* the same for all traces of the set */
	bool is_on_timeline; /* of the merge */
	/* Of the set: its number, and the first trace's of the same machine and of the same clock.
	 */
	size_t place, machine, clock;
	uint8_t uuid[16];
	uint8_t clock_uuid[16];
	uint64_t precision_ns;
	struct strata_ctf_plan_kind *kinds; /* as the trace's */
	struct strata_ctf_arena *arena;     /* what all of them are made in */
};

/* Complains of fields of packets that are left out.  0, or -1: out of memory, or an id of a stream
 * that is too large. */
int strata_ctf_plan_init(struct strata_ctf_plan *plan, const struct strata_ctf_trace *trace,
			 struct strata_error *error);

void strata_ctf_plan_clear(struct strata_ctf_plan *plan);

/* Writes the metadata into @dir; NULL: nowhere, to see whether it can be.  -1 with the reason: it
 * cannot be written, or fields of packets' contexts are needed to read events, and are not kept. */
int strata_ctf_plan_metadata(const struct strata_ctf_plan *plan, const struct strata_dir *dir,
			     struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_CTF_PLAN_H */
