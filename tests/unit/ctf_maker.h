/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_maker.h - writes CTF traces for tests, bit by bit and with nothing of merge/:
 * a mistake in its readers cannot hide itself.
 *
 * Bits are appended to a buffer at any position and in either byte order; a trace is a new
 * temporary directory, into which a test puts metadata and files.
 */
#ifndef STRATA_TESTS_CTF_MAKER_H
#define STRATA_TESTS_CTF_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty.  Bytes are 0 until something is put there. */
struct bits {
	uint8_t *bytes;
	size_t room;
	uint64_t at;     /* bits */
	uint64_t origin; /* bits: where a packet begins; alignment counts from here */
	bool big_endian;
};

/* Appends zeroes up to the next multiple of @align bits from the origin on. */
void bits_align(struct bits *bits, uint64_t align);

/* Appends the low @nr bits of @value. */
void bits_put(struct bits *bits, uint64_t value, unsigned int nr);

/* The same, aligned to @align bits before. */
void bits_put_aligned(struct bits *bits, uint64_t value, unsigned int nr, uint64_t align);

/* Appends bytes at the next byte. */
void bits_put_bytes(struct bits *bits, const void *bytes, size_t nr);

/* Overwrites a number of whole bytes, @at bytes from the begin. */
void bits_set_u64(struct bits *bits, size_t at, uint64_t value);
void bits_set_u32(struct bits *bits, size_t at, uint32_t value);

size_t bits_bytes(const struct bits *bits);
void bits_clear(struct bits *bits);

/* A reader's complaints. */
struct complaints {
	unsigned int nr;
	char all[65536]; /* one after the other, each ended by a new line, as far as they fit */
};

void complaints_hear(void *complaints, const char *message);

/* A directory for a trace; to be removed with trace_dir_remove(). */
struct trace_dir {
	char path[64];
};

void trace_dir_make(struct trace_dir *dir);
void trace_dir_put(const struct trace_dir *dir, const char *name, const void *bytes, size_t nr);
void trace_dir_put_text(const struct trace_dir *dir, const char *name, const char *text);
void trace_dir_remove(const struct trace_dir *dir);

/*
 * A packet of the usual form, in little-endian order: magic, UUID, stream id (32 bits); begin, end,
 * content, size, sequence, discarded (64), CPU (32).
 */
#define MAKER_HEADER_BYTES 76u
#define MAKER_AT_BEGIN     24u
#define MAKER_AT_END       32u
#define MAKER_AT_CONTENT   40u
#define MAKER_AT_SIZE      48u
#define MAKER_AT_SEQUENCE  56u
#define MAKER_AT_DISCARDED 64u
#define MAKER_AT_CPU       72u

extern const uint8_t maker_uuid[16];

/* The beginning of the metadata of such packets: typealiases u8 ... u64, i32, text, time; the
 * trace; the clock; and the stream but for its event header, context and "};". */
extern const char maker_metadata[];

/* Begins such a packet where the buffer ends, which becomes its origin. */
void maker_begin_packet(struct bits *bits, uint64_t begin, uint64_t sequence, uint32_t cpu);

/* Ends it: @size bytes, 0: no more than it needs.  Returns where it began, in bytes. */
size_t maker_end_packet(struct bits *bits, uint64_t end, size_t size);

uint64_t maker_random(uint64_t *seed);

#endif /* STRATA_TESTS_CTF_MAKER_H */
