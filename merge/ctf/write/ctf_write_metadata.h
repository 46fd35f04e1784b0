/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_write_metadata.h - writes the metadata of a CTF 1.8 trace: of raw recordings, of merged
 * traces and of those for Trace Compass.
 *
 * The input has the same structures as metadata that was read (ctf_types.h). Event classes are
 * written one by one, so that not all of their types are needed in memory at once. Packets have a
 * header of magic, uuid and stream_id, 24 bytes.
 *
 * strata_out_close() returns write errors.
 */
#ifndef STRATA_MERGE_CTF_WRITE_METADATA_H
#define STRATA_MERGE_CTF_WRITE_METADATA_H

#include "ctf/write/ctf_write_tsdl.h"

/* Writes the trace, its environment and its clocks. */
void strata_ctf_write_head(struct strata_out_file *out, const struct strata_ctf_metadata *metadata);

/* Writes a stream class, without its events. Returns 0, or -1 with @error: a length or tag is in
 * none of its scopes. */
int strata_ctf_write_stream(struct strata_out_file *out, const struct strata_ctf_metadata *metadata,
			    const struct strata_ctf_stream_class *stream,
			    struct strata_error *error);

/* Writes an event class of a stream class, whose own events are ignored.  As
 * strata_ctf_write_stream(). */
int strata_ctf_write_event(struct strata_out_file *out, const struct strata_ctf_metadata *metadata,
			   const struct strata_ctf_stream_class *stream,
			   const struct strata_ctf_event_class *event, struct strata_error *error);

#endif /* STRATA_MERGE_CTF_WRITE_METADATA_H */
