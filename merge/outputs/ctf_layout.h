/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_layout.h - how the merged CTF trace is laid out: the bytes that ctf.c
 * writes and the metadata that describes them, side by side.
 */
#ifndef STRATA_MERGE_OUTPUTS_CTF_LAYOUT_H
#define STRATA_MERGE_OUTPUTS_CTF_LAYOUT_H

#include <strata/packet.h>

#include "merger.h"

/* trace.packet.header and stream.packet.context */
struct ctf_packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id; /* the source's index */
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_size;
	uint64_t packet_size;
	uint64_t packet_seq_num;
	uint64_t events_discarded;
	uint32_t cpu_id;
} __attribute__((packed, aligned(4)));

/* event.header, and the part of event.context that all layers have */
struct ctf_event_head {
	uint32_t id; /* the class's number */
	uint64_t ns;
	uint16_t domain;
	uint16_t vcpu;
	int32_t pcpu; /* -1: not known */
} __attribute__((packed, aligned(4)));

/* Bytes of the rest of the context: the record's own, for layers but the hypervisor's. */
static inline uint32_t strata_ctf_context_bytes(enum strata_layer layer)
{
	if (layer == STRATA_LAYER_XEN)
		return 0;
	return (strata_event_payload_bytes(strata_layer_context(layer)) + 3u) & ~3u;
}

/* Makes the directory, or empties it if it holds an earlier merge.  Anything else in it is
 * left alone, and is an error. */
int strata_ctf_layout_prepare(const char *dir, struct strata_error *error);

/* Writes DIR/metadata of a merge that has run. */
int strata_ctf_layout_save(const struct strata_merge *merge, const char *dir,
			   const uint8_t uuid[16], struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_CTF_LAYOUT_H */
