/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_table.h - the progress of each stream of a recording: the file RAW/.live, which the recorder
 * maps and writes, and `strata view --live` maps and reads.
 *
 * A stream has a slot while its ring is mapped.  The recorder stores in this order: the generation
 * of the tables (recording.json, metadata) that describe the following packets; how many bytes of
 * the stream's file are whole packets; and the time up to which these are complete.  A reader loads
 * in the reverse order.  So it never sees a packet that no table describes, or a time before which
 * packets are missing.
 *
 * Some file systems refuse shared, writable mappings (9p without a cache, FUSE with direct I/O).
 * There the recorder keeps the table in its own sealed memory, and RAW/.live refers to it: struct
 * strata_live_elsewhere, which differs from a table in size.
 *
 * No writer is woken for this: the recorder polls the rings.  A stream whose ring is empty is
 * complete up to the time of the look.
 */
#ifndef STRATA_MERGE_LIVE_LIVE_TABLE_H
#define STRATA_MERGE_LIVE_LIVE_TABLE_H

#include "recording/recording.h"

#define STRATA_LIVE_FILE    ".live"
#define STRATA_LIVE_MAGIC   0x4c726153u
#define STRATA_LIVE_VERSION 1u
#define STRATA_LIVE_SLOTS   4096u

enum strata_live_state {
	STRATA_LIVE_GOES_ON,
	STRATA_LIVE_ENDED, /* the files are complete */
};

/* A stream; the slot is free if its time is UINT64_MAX, and its file is complete. */
struct strata_live_slot {
	uint32_t source; /* its index in the recording */
	uint32_t cpu;
	uint64_t bytes; /* of its file */
	/* Host ticks: no earlier event will come, unless it was being written then. */
	uint64_t complete_ticks;
};

struct strata_live_table {
	uint32_t magic;
	uint32_t version;
	uint32_t state;      /* enum strata_live_state */
	uint32_t nr_slots;   /* ever used */
	uint64_t generation; /* of the tables; 0: no tables yet */
	uint64_t slotless;   /* streams without a slot: their progress is unknown */
	struct strata_live_slot slots[STRATA_LIVE_SLOTS];
};

#define STRATA_LIVE_ELSEWHERE_MAGIC 0x4c656153u

/* The table is the file descriptor @fd of the process @pid: /proc/PID/fd/FD. */
struct strata_live_elsewhere {
	uint32_t magic;
	uint32_t version; /* of the table */
	uint32_t pid;     /* in the recorder's PID namespace */
	uint32_t fd;
	uint64_t inode; /* of the memory, because another process may reuse the pid */
};

#endif /* STRATA_MERGE_LIVE_LIVE_TABLE_H */
