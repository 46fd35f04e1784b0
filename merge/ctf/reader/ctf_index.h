/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_index.h - offsets and times of a stream's packets, to start reading at a time without reading
 * the preceding packets.
 *
 * It comes from the index file that LTTng writes beside a trace (TRACE/index/NAME.idx), if it is
 * valid, else from the packets' headers. Of a file with very many packets it has only some, equally
 * far apart in bytes, to bound memory.
 */
#ifndef STRATA_MERGE_CTF_INDEX_H
#define STRATA_MERGE_CTF_INDEX_H

#include "ctf/trace/ctf_trace.h"

#define STRATA_CTF_INDEX_MAX 4096u /* per stream */

struct strata_ctf_index_place {
	uint64_t offset;   /* of a packet, in the file */
	uint64_t begin_ns; /* lower bound of its events and all later ones */
	uint64_t bytes;    /* content of the packets from here to the next place */
};

struct strata_ctf_index {
	struct strata_ctf_index_place *places; /* by offset and time */
	size_t nr;
	uint64_t end_ns; /* latest end of a packet */
	bool from_file;  /* from the tracer's file */
	bool has_times;  /* packets contain their begin times */
};

/* Makes the index of a stream. 0, or -1: out of memory. */
int strata_ctf_index_make(struct strata_ctf_index *index, const struct strata_ctf_stream *stream,
			  struct strata_error *error);

void strata_ctf_index_clear(struct strata_ctf_index *index);

/* Returns the offset of a packet such that all events at @ns or later are in it or after it; 0: the
 * first packet. */
uint64_t strata_ctf_index_find(const struct strata_ctf_index *index, uint64_t ns);

#endif /* STRATA_MERGE_CTF_INDEX_H */
