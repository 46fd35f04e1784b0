/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_layout.h - how the merged CTF trace is laid out: the bytes that ctf.c
 * writes in front of each event and the metadata that describes them, side by side.
 * Packets are those of ctf_packets.h; a stream's id is its source's index.
 */
#ifndef STRATA_MERGE_OUTPUTS_CTF_LAYOUT_H
#define STRATA_MERGE_OUTPUTS_CTF_LAYOUT_H

#include "host/merger.h"
#include "outputs/ctf/ctf_packets.h"

/* event.header, and the part of event.context that all layers have */
struct ctf_event_head {
	struct strata_ctf_event_header header; /* id: the class's number */
	uint16_t domain;
	uint16_t vcpu;
	int32_t pcpu; /* -1: not known */
} __attribute__((packed, aligned(4)));

/* Behind it, for an application: its process's number as the kernel says, int32_t; 0: unknown.
 * Then the record's own context, for layers but the hypervisor's: its bytes. */
static inline uint32_t strata_ctf_context_bytes(enum strata_layer layer)
{
	if (layer == STRATA_LAYER_XEN)
		return 0;
	return (strata_event_payload_bytes(strata_layer_context(layer)) + 3u) & ~3u;
}

/* Writes DIR/metadata of a merge that has run. */
int strata_ctf_layout_save(const struct strata_merge *merge, const struct strata_dir *dir,
			   const uint8_t uuid[16], struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_CTF_LAYOUT_H */
