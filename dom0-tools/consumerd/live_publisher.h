/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_publisher.h - publishes the progress of a recording in its live table
 * (merge/live/live_table.h); used by the recorder.
 */
#ifndef STRATA_CONSUMERD_LIVE_PUBLISHER_H
#define STRATA_CONSUMERD_LIVE_PUBLISHER_H

#include <stdint.h>

#include "files/safe_dir.h"

struct live_publisher;

#define LIVE_NO_SLOT UINT32_MAX

/* Makes DIR/.live.  @dir has to outlive it.  NULL with the reason. */
struct live_publisher *live_publisher_open(const struct strata_dir *dir,
					   struct strata_error *error);

/* Publishes that the recording has ended, or was abandoned, and removes the file. @live: may be
 * NULL */
void live_publisher_close(struct live_publisher *live);

/* Adds a stream that begins at @ticks, of the host.  Returns its slot, or LIVE_NO_SLOT: all are
 * used. */
uint32_t live_publisher_add(struct live_publisher *live, uint32_t source, uint32_t cpu,
			    uint64_t ticks);

/* Publishes that the tables on the disk were rewritten: they describe everything published from now
 * on. */
void live_publisher_tables(struct live_publisher *live);

/* A stream is complete up to @ticks, in the first @bytes of its file; LIVE_NO_SLOT is fine. */
void live_publisher_set(struct live_publisher *live, uint32_t slot, uint64_t bytes, uint64_t ticks);

/* Publishes that the stream has ended, with the final size of its file; likewise. */
void live_publisher_end(struct live_publisher *live, uint32_t slot, uint64_t bytes);

#endif /* STRATA_CONSUMERD_LIVE_PUBLISHER_H */
