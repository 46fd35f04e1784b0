/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buffers.h - a ring for each CPU, in pages that domain 0 can map.
 */
#ifndef STRATA_KMOD_BUFFERS_H
#define STRATA_KMOD_BUFFERS_H

#include <linux/percpu.h>

#include <strata/abi/guest.h>
#include <strata/ring_writer.h>

#include "grants.h"

/* This CPU's ring of each channel; NULL: there is no such channel.  Every CPU has one of a channel
 * that is started, so probes need no test. */
struct strata_cpu_rings {
	struct strata_ring *ring[STRATA_GUEST_CHANNELS_MAX];
	unsigned long nesting; /* probes in progress */
};
DECLARE_PER_CPU(struct strata_cpu_rings, strata_cpu_rings);

/* The number of rings that strata_buffers_create() would make. */
u32 strata_buffers_count(void);

/*
 * Creates a channel's empty ring for each CPU that this kernel may ever bring up, and adds its
 * pages to
 * @grants, ring after ring, in the order of the directory. Returns 0, -ENOSPC (no references left),
 * or another error after a message; then only @grants keeps what it has. May sleep.
 */
int strata_buffers_create(unsigned int channel, struct strata_grants *grants,
			  struct strata_ring_geometry geo);

/* What is discarded when a ring is full: the new record, or the oldest ones. */
enum strata_mode { STRATA_MODE_DISCARD, STRATA_MODE_OVERWRITE };

/* The geometry of a channel that has rings. */
struct strata_ring_geometry strata_buffers_geometry(unsigned int channel);

/* Sets the mode of a channel.  Probes may run: they see it when they next open a sub-buffer. */
void strata_buffers_set_mode(unsigned int channel, enum strata_mode mode);

/* The form of the headers of a channel's records; full until another is set. */
enum strata_header_form strata_buffers_header_form(unsigned int channel);

/* Sets that form.  No probe writes to it, and its rings were flushed: a packet has records of one
 * form. */
void strata_buffers_set_header_form(unsigned int channel, enum strata_header_form form);

/* Likewise sets which contexts (strata/abi/guest_context.h) a channel's records have; a new
 * channel's have none. */
void strata_buffers_set_contexts(unsigned int channel, u32 contexts);

/*
 * Hands all records of a channel so far to its reader: each ring's CPU closes the sub-buffer that
 * it is writing, while probes continue.  May sleep.
 */
void strata_buffers_flush(unsigned int channel);

/* The same for all channels of one CPU that is offline, in a callback of CPU hotplug. */
void strata_buffers_flush_offline(unsigned int cpu);

/* Undoes strata_buffers_create(), except for the pages.  No probe writes to the channel.  May
 * sleep. */
void strata_buffers_destroy(unsigned int channel);

#endif /* STRATA_KMOD_BUFFERS_H */
