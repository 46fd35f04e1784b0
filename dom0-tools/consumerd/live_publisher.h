/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_publisher.h - tells those who follow a recording how far it is (merge/live/live_table.h);
 * the recorder's. */
#ifndef STRATA_CONSUMERD_LIVE_PUBLISHER_H
#define STRATA_CONSUMERD_LIVE_PUBLISHER_H

#include <stdint.h>

#include "safe_dir.h"

struct live_publisher;

#define LIVE_NO_SLOT UINT32_MAX

/* Makes DIR/.live.  @dir has to outlive it.  NULL with the reason. */
struct live_publisher *live_publisher_open(const struct strata_dir *dir,
					   struct strata_error *error);

/* The recording has ended, or is given up: says so, and removes the file.  NULL is fine. */
void live_publisher_close(struct live_publisher *live);

/* A stream that begins at @ticks, of the host.  Its slot, or LIVE_NO_SLOT: there is none left. */
uint32_t live_publisher_add(struct live_publisher *live, uint32_t source, uint32_t cpu,
			    uint64_t ticks);

/* The tables on the disk were written anew: they describe all that is said from now on. */
void live_publisher_tables(struct live_publisher *live);

/* A stream is complete up to @ticks, in the first @bytes of its file; LIVE_NO_SLOT is fine. */
void live_publisher_set(struct live_publisher *live, uint32_t slot, uint64_t bytes, uint64_t ticks);

/* It is at its end, and its file has so many bytes; likewise. */
void live_publisher_end(struct live_publisher *live, uint32_t slot, uint64_t bytes);

#endif /* STRATA_CONSUMERD_LIVE_PUBLISHER_H */
