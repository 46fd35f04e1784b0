/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order_discard.pml - the memory order between a writer and a reader of a ring in
 * discard mode: commit seq is released in strata_ring_publish() and acquired in
 * strata_reader_commit_seq(); read count is released in strata_reader_put() and
 * acquired in strata_ring_plan().  Each sub-buffer is one word of data; it, and
 * the counters, hold the number of the sub-buffer, modulo 8, without end.
 */
#include "properties.pmh"

#define NUMBERS 8
#define SUBBUFS 2

#define DATA(number) ((number) % SUBBUFS)
#define SEQ(number)  (SUBBUFS + (number) % SUBBUFS)
#define WORDS        4

#include "store_buffer.pmh"

#define NEXT(number) (((number) + 1) % NUMBERS)

byte read_count; /* how many the reader let go; its stores land at once */

#ifdef PLAIN_COMMIT_SEQ
#define RELEASED false
#else
#define RELEASED true
#endif

/* Until read_count says that the place is free: equation (1) */
#define FREE(number) ((NUMBERS + (number) - read_count) % NUMBERS < SUBBUFS)

active proctype writer()
{
	byte number;

	do
	::
#ifdef PLAIN_LOAD_OF_READ_COUNT
		store(DATA(number), number, false);
		FREE(number);
#else
		FREE(number);
		store(DATA(number), number, false);
#endif
		/* Ready for turn number / SUBBUFS; 0 is what was there before the first. */
		store(SEQ(number), number + 1, RELEASED);
		number = NEXT(number)
	od
}

#define READY (memory[SEQ(number)] == number + 1)

active proctype reader()
{
	byte number, data;

	do
	::
#ifdef PLAIN_LOAD_OF_COMMIT_SEQ
		data = memory[DATA(number)];
		READY;
#elif defined(PLAIN_READ_COUNT)
		READY;
		read_count = NEXT(number);
		data = memory[DATA(number)];
#else
		READY;
		data = memory[DATA(number)];
#endif
		d_step {
			PROPERTY(only_committed_bytes_read, data == number);
			number = NEXT(number);
			data = 0;
			read_count = number
		}
	od
}
