/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_index.h - where in a stream's file its packets begin, and when: to begin to
 * read at a time, without reading what lies before.
 *
 * It comes from the index file that LTTng writes beside a trace (TRACE/index/NAME.idx), if there
 * is a sound one, else from the packets' headers.  Of a file with very many packets only every
 * second, fourth... is kept, so that memory is bounded.
 */
#ifndef STRATA_MERGE_CTF_INDEX_H
#define STRATA_MERGE_CTF_INDEX_H

#include "ctf/trace/ctf_trace.h"

#define STRATA_CTF_INDEX_MAX 4096u /* places of one stream */

struct strata_ctf_index_place {
	uint64_t offset;   /* of a packet, in the file */
	uint64_t begin_ns; /* no event of it or of a later one is before */
};

struct strata_ctf_index {
	struct strata_ctf_index_place *places; /* by offset and time */
	size_t nr;
	uint64_t end_ns;  /* the latest end of a packet */
	uint64_t packets; /* all of them */
	bool from_file;   /* it is the tracer's */
	bool has_times;   /* packets say when they begin */
};

/* Makes the index of a stream. 0, or -1: out of memory. */
int strata_ctf_index_make(struct strata_ctf_index *index, const struct strata_ctf_stream *stream,
			  struct strata_error *error);

void strata_ctf_index_clear(struct strata_ctf_index *index);

/* The offset of a packet before which no event is at @ns or later; 0 if that is the first. */
uint64_t strata_ctf_index_find(const struct strata_ctf_index *index, uint64_t ns);

#endif /* STRATA_MERGE_CTF_INDEX_H */
