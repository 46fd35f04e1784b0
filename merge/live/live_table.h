/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_table.h - how far each stream of a recording that goes on is complete: a file,
 * RAW/.live, that the recorder maps and writes, and whoever follows the recording maps and
 * reads (`strata view --live`).
 *
 * A stream has a slot for as long as its ring is mapped.  Three things are said in this order:
 * the generation of the tables (recording.json, metadata) that describe all that follows; how
 * many bytes of the stream's file are whole packets; and up to when nothing more will come but
 * what is behind these.  A reader that loads them the other way round never finds a packet that
 * no table describes, or a time with packets missing before it.
 *
 * Some file systems refuse shared, writable mappings (9p without a cache, FUSE with direct I/O).
 * There the recorder keeps the table in sealed memory of its own, and RAW/.live says where: struct
 * strata_live_elsewhere, which a reader tells from a table by its size.
 *
 * Nothing wakes a writer for this: the recorder looks into the rings, and where one holds nothing
 * that it has not taken, the stream is complete up to that look.
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
	STRATA_LIVE_ENDED, /* all that was recorded is in the files */
};

/* A stream; free where its time is UINT64_MAX: what it had is in its file. */
struct strata_live_slot {
	uint32_t source; /* its index in the recording */
	uint32_t cpu;
	uint64_t bytes; /* of its file */
	/* Host ticks: no event of before that will come, unless it was being written then. */
	uint64_t complete_ticks;
};

struct strata_live_table {
	uint32_t magic;
	uint32_t version;
	uint32_t state;      /* enum strata_live_state */
	uint32_t nr_slots;   /* that were ever used */
	uint64_t generation; /* of the tables; 0: there are none yet */
	uint64_t slotless;   /* streams that found no slot: nobody knows how far they are */
	struct strata_live_slot slots[STRATA_LIVE_SLOTS];
};

#define STRATA_LIVE_ELSEWHERE_MAGIC 0x4c656153u

/* The table is the file descriptor @fd of the process @pid: /proc/PID/fd/FD. */
struct strata_live_elsewhere {
	uint32_t magic;
	uint32_t version; /* of the table */
	uint32_t pid;     /* as the recorder's PID namespace has it */
	uint32_t fd;
	uint64_t inode; /* of the memory: another process may get the number */
};

#endif /* STRATA_MERGE_LIVE_LIVE_TABLE_H */
