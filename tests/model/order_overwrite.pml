/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order_overwrite.pml - the memory order between a writer and a reader of a ring
 * in overwrite mode: the hold in strata_table_hold() comes before the bytes, the
 * bytes before the word in strata_table_release(), that before commit seq; the
 * exchange in strata_table_exchange() lies between the load of commit seq and those
 * of the bytes.  A page is one word that holds the number of its sub-buffer.
 */
#include "properties.pmh"

#define NUMBERS 6 /* sub-buffers that are written */
#define SUBBUFS 2
#define PAGES   3

#define DATA(page)    (page)
#define TABLE(number) (PAGES + (number) % SUBBUFS)
#define SEQ(number)   (PAGES + SUBBUFS + (number) % SUBBUFS)
#define WORDS         7

#include "store_buffer.pmh"

/* A word of the table: the page, whether it is held, and the number that was completed there */
#define HELD                 4
#define WORD(number, page)   (((number) + 1) * 8 + (page))
#define PAGE(word)           ((word) & 3)
#define NO_NUMBER            30

#ifdef PLAIN_COMMIT_SEQ
#define RELEASED false
#else
#define RELEASED true
#endif

byte begun; /* sub-buffers that a writer holds or has held */

inline hold()
{
	d_step {
#ifndef HOLD_WITHOUT_BARRIER
		FULL_BARRIER ->
#endif
		page = PAGE(memory[TABLE(number)]);
		memory[TABLE(number)] = memory[TABLE(number)] | HELD;
		begun = number + 1
	}
}

active proctype writer()
{
	byte number, page;

	/* strata_ring_init(): each place has its page, the reader the third */
	d_step {
		memory[TABLE(0)] = 0;
		memory[TABLE(1)] = 1
	};
end_idle:
	do
	:: number < NUMBERS ->
#ifdef HOLD_WITHOUT_BARRIER
		page = PAGE(memory[TABLE(number)]);
		store(DATA(page), number + 1, false);
#endif
		hold();
#ifndef HOLD_WITHOUT_BARRIER
		store(DATA(page), number + 1, false);
#endif
		store(TABLE(number), WORD(number, page), true);
		store(SEQ(number), number + 1, RELEASED);
		number++
	od
}

/* strata_table_take(): what commit seq says is the number + 1 that was completed last in a place */
active proctype reader()
{
	byte number, spare = 2, seq, word;

end_idle:
	do
	::	d_step {
			memory[SEQ(number)] > number ->
			seq = memory[SEQ(number)]
		};
		if
		:: seq == number + 1 ->
			d_step {
				word = memory[TABLE(number)];
				if
				:: word == WORD(number, PAGE(word)) ->
					memory[TABLE(number)] = WORD(NO_NUMBER, spare);
					spare = PAGE(word)
				:: else ->
					PROPERTY(passed_over_only_overwritten, begun > number + SUBBUFS);
					word = HELD
				fi
			};
			if
			:: word != HELD ->
				PROPERTY(only_committed_bytes_read, memory[DATA(spare)] == number + 1)
			:: else
			fi;
			number++
		:: else ->
			PROPERTY(passed_over_only_overwritten, begun >= seq);
			number = seq - SUBBUFS
		fi;
		d_step { seq = 0; word = 0 }
	od
}
