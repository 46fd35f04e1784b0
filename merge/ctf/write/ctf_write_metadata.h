/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_write_metadata.h - writes the metadata of a CTF 1.8 trace: of raw recordings, of merged
 * traces and of those for Trace Compass.
 *
 * What is written is described by the same structures that metadata is read into (ctf_types.h).
 * Event classes are written one by one, so that nobody needs to hold all of their types.  Packets
 * have a header of magic, uuid and stream_id, 24 bytes.
 *
 * Errors of writing are those that strata_out_close() tells.
 */
#ifndef STRATA_MERGE_CTF_WRITE_METADATA_H
#define STRATA_MERGE_CTF_WRITE_METADATA_H

#include "ctf/write/ctf_write_tsdl.h"

/* Writes the trace, its environment and its clocks. */
void strata_ctf_write_head(struct strata_out_file *out, const struct strata_ctf_metadata *metadata);

/* Writes a stream class, without its events.  0, or -1 with @error: a length or tag is in none of
 * its scopes. */
int strata_ctf_write_stream(struct strata_out_file *out, const struct strata_ctf_metadata *metadata,
			    const struct strata_ctf_stream_class *stream,
			    struct strata_error *error);

/* Writes an event class of a stream class, whose own events are ignored.  As
 * strata_ctf_write_stream(). */
int strata_ctf_write_event(struct strata_out_file *out, const struct strata_ctf_metadata *metadata,
			   const struct strata_ctf_stream_class *stream,
			   const struct strata_ctf_event_class *event, struct strata_error *error);

#endif /* STRATA_MERGE_CTF_WRITE_METADATA_H */
