/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace_reader.h - reads a binary file of xentrace record by record, and skips damaged parts.
 *
 * Such a file is a sequence of windows: a CPU_CHANGE record, which xentrace itself
 * writes, names a physical CPU and how many bytes of that CPU's buffer follow.
 * These bytes are records as Xen wrote them (xen/include/public/trace.h). Each starts with a word
 * that contains the event, the number of words that follow, and whether a time comes first.
 * Everything is little-endian.  There is no header, no frequency and no date.
 *
 * The file may be torn at its end, damaged in the middle, or hostile throughout; reading it takes
 * one buffer of fixed size.
 */
#ifndef STRATA_MERGE_XENTRACE_READER_H
#define STRATA_MERGE_XENTRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "recording/recording.h"

/* The largest number of a physical CPU: Xen is built for at most 4095 CPUs. */
#define STRATA_XENTRACE_CPU_MAX 4094u

/* Events of the general class, which describe the trace itself. */
#define STRATA_XENTRACE_LOST_RECORDS 0x0001f001u
#define STRATA_XENTRACE_WRAP_BUFFER  0x0001f002u
#define STRATA_XENTRACE_CPU_CHANGE   0x0001f003u

struct strata_xentrace_record {
	uint64_t offset; /* in the file */
	uint32_t cpu;
	uint32_t event; /* 28 bits */
	uint32_t words;
	bool timed;
	uint64_t ticks;         /* if timed */
	const uint8_t *payload; /* words * 4 bytes; valid until the next step */
};

enum strata_xentrace_step {
	STRATA_XENTRACE_END,
	STRATA_XENTRACE_RECORD,
	STRATA_XENTRACE_GAP, /* bytes were left out: records of any CPU may be missing */
};

struct strata_xentrace_reader {
	char path[512];
	strata_complain_fn *complain; /* may be NULL */
	void *complain_data;
	int fd;
	uint64_t size;  /* at opening */
	uint64_t limit; /* only windows that begin before this are read */
	uint64_t mtime_ns;

	bool cut_short; /* the file has become shorter, or could not be read: */
	int read_errno; /* 0: it has become shorter */

	uint8_t *buffer;
	uint64_t buffered_from; /* offset in the file of the buffer's first byte */
	size_t buffered;

	uint64_t offset; /* of the next record */
	uint64_t window_end;
	uint64_t window_start; /* of its CPU_CHANGE record */
	uint64_t window_bytes; /* according to that record */
	uint32_t cpu;

	uint64_t windows;
	uint64_t bad_places;
	uint64_t left_out_bytes;
};

/* Returns 0, or -1 with the reason: the file cannot be read, is empty, or is not from xentrace. */
int strata_xentrace_open(struct strata_xentrace_reader *reader, const char *path,
			 strata_complain_fn *complain, void *complain_data,
			 struct strata_error *error);

/* Reads the next record, which may be of the general class but is never a CPU_CHANGE. */
enum strata_xentrace_step strata_xentrace_next(struct strata_xentrace_reader *reader,
					       struct strata_xentrace_record *record);

/* To be called right after opening: returns the first @nr bytes of the file. */
const uint8_t *strata_xentrace_beginning(const struct strata_xentrace_reader *reader, size_t *nr);

void strata_xentrace_close(struct strata_xentrace_reader *reader);

static inline uint32_t xentrace_load_u32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

/* A word of a payload. */
static inline uint32_t strata_xentrace_word(const struct strata_xentrace_record *record,
					    unsigned int index)
{
	return xentrace_load_u32(record->payload + index * 4u);
}

#endif /* STRATA_MERGE_XENTRACE_READER_H */
