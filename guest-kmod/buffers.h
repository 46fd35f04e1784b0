/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buffers.h - a ring for each CPU, in pages that domain 0 can map.
 */
#ifndef STRATA_KMOD_BUFFERS_H
#define STRATA_KMOD_BUFFERS_H

#include <linux/percpu.h>

#include <strata/ring_writer.h>

#include "grants.h"

/* This CPU's ring, for probes; all CPUs have one while any probe is attached. */
DECLARE_PER_CPU(struct strata_ring *, strata_cpu_ring);

/* The number of rings that strata_buffers_create() would make. */
u32 strata_buffers_count(void);

/*
 * Creates an empty ring for each CPU that this kernel may ever bring up, and adds its pages to
 * @grants, ring after ring, in the order of the directory. Returns 0, -ENOSPC (no references left),
 * or another error after a message; then only @grants keeps what it has. May sleep.
 */
int strata_buffers_create(struct strata_grants *grants, struct strata_ring_geometry geo);

/* What is discarded when a ring is full: the new record, or the oldest ones. */
enum strata_mode { STRATA_MODE_DISCARD, STRATA_MODE_OVERWRITE };

/* Sets the mode of all rings.  Probes may run: they see it when they next open a sub-buffer. */
void strata_buffers_set_mode(enum strata_mode mode);

/* The form of the headers of all rings' records; full until another is set. */
enum strata_header_form strata_buffers_header_form(void);

/* Sets that form.  No probe runs, and all rings were flushed: a packet has records of one form. */
void strata_buffers_set_header_form(enum strata_header_form form);

/*
 * Hands all records so far to the reader: each ring's CPU closes the sub-buffer that
 * it is writing, while probes continue.  May sleep.
 */
void strata_buffers_flush(void);

/* The same for one CPU that is offline; the caller keeps it so (cpus_read_lock(), or a callback of
 * CPU hotplug). */
void strata_buffers_flush_offline(unsigned int cpu);

/* Undoes strata_buffers_create(), except for the pages. No probe is attached. May sleep. */
void strata_buffers_destroy(void);

#endif /* STRATA_KMOD_BUFFERS_H */
