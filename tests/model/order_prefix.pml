/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order_prefix.pml - strata_reader_copy_prefix(): a look at a sub-buffer that is
 * being written, while its writer goes on and comes back to the same memory in
 * the next turn.  Of each turn there are two commits: one byte, then all.
 */
#include "properties.pmh"

#define TURNS 3

#define DATA  0
#define SEQ   1
#define WORDS 2

#include "store_buffer.pmh"

#define PARTIAL(turn) (2 * (turn) + 1)
#define WHOLE(turn)   (2 * (turn) + 2)

active proctype writer()
{
	byte turn;

end_idle:
	do
	:: turn < TURNS ->
		/* strata_table_hold() */
#ifndef HOLD_WITHOUT_BARRIER
		FULL_BARRIER;
#endif
		store(DATA, turn + 1, false);
		store(SEQ, PARTIAL(turn), true);
		store(SEQ, WHOLE(turn), true);
		turn++
	od
}

active proctype reader()
{
	byte seq, again, data;

end_idle:
	do
	::	seq = memory[SEQ];
		if
		:: seq % 2 == 1 ->
#ifdef NO_READ_BARRIER
			again = memory[SEQ];
			data = memory[DATA];
#elif defined(NO_SECOND_LOOK)
			data = memory[DATA];
			again = seq;
#else
			data = memory[DATA];
			again = memory[SEQ];
#endif
			if
			:: again == seq ->
				PROPERTY(only_committed_bytes_read, PARTIAL(data - 1) == seq)
			:: else
			fi
		:: else
		fi;
		d_step {
			seq = 0;
			again = 0;
			data = 0
		}
	od
}
