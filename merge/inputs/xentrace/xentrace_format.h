/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace_format.h - the bytes of a file of xentrace's: records as Xen writes them
 * (xen/include/public/trace.h) and the windows that xentrace puts around them.  Only
 * xentrace_reader.c and xentrace_recognise.c read them.
 */
#ifndef STRATA_MERGE_XENTRACE_FORMAT_H
#define STRATA_MERGE_XENTRACE_FORMAT_H

#include "inputs/xentrace/xentrace_reader.h"

/* The word that a record begins with. */
#define XENTRACE_EVENT_MASK    0x0fffffffu
#define XENTRACE_CLASS_MASK    0x0fff0000u
#define XENTRACE_SUBCLASS_MASK 0x0000f000u
#define XENTRACE_WORDS_SHIFT   28u
#define XENTRACE_WORDS_MASK    7u
#define XENTRACE_TIMED_FLAG    0x80000000u

/* xentrace's own record: two words, the CPU and the bytes that follow, and no time. */
#define XENTRACE_WINDOW       (STRATA_XENTRACE_CPU_CHANGE | 2u << XENTRACE_WORDS_SHIFT)
#define XENTRACE_WINDOW_BYTES 12u

/* A candidate is a window if its first records are valid: this many, or all if it has fewer. */
#define XENTRACE_RECORDS_TRIED 8u

static inline uint64_t xentrace_load_u64(const uint8_t *at)
{
	return (uint64_t)xentrace_load_u32(at + 4) << 32 | xentrace_load_u32(at);
}

/* Bytes of a record, its header included: 4 to 40. */
static inline uint32_t xentrace_record_bytes(uint32_t header)
{
	return 4u + (header & XENTRACE_TIMED_FLAG ? 8u : 0u) +
	       (header >> XENTRACE_WORDS_SHIFT & XENTRACE_WORDS_MASK) * 4u;
}

/* Xen compares each event's class and subclass with a mask before it records, so every record has a
 * bit of both set. A window's header cannot occur inside a window. */
static inline bool xentrace_is_record(uint32_t header)
{
	return (header & XENTRACE_CLASS_MASK) && (header & XENTRACE_SUBCLASS_MASK) &&
	       header != XENTRACE_WINDOW;
}

/* Whether these XENTRACE_WINDOW_BYTES can begin a window. */
static inline bool xentrace_is_window(const uint8_t *at)
{
	return xentrace_load_u32(at) == XENTRACE_WINDOW &&
	       xentrace_load_u32(at + 4) <= STRATA_XENTRACE_CPU_MAX &&
	       xentrace_load_u32(at + 8) % 4u == 0;
}

/* Largest part of a file to buffer. */
#define XENTRACE_BUFFER_BYTES 262144u

#endif /* STRATA_MERGE_XENTRACE_FORMAT_H */
