/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sleep.pml - how a reader falls asleep and a writer wakes it: strata_single_sleep(),
 * strata_single_awake() and strata_single_sleeping() of ring_single.h.  The writer leaves
 * sub-buffers; the reader takes them, and sleeps when there is none.
 *
 * Each side's store waits in its CPU's store buffer, as on x86, and a full barrier waits until it
 * has landed.
 */
#include "properties.pmh"

#define LEAVES 3

byte position_stored, position; /* of the writer: in its store buffer, and in memory */
bool asleep_stored, asleep;     /* likewise, of the reader */

byte taken;
bool woken; /* the writer's message */
bool reader_sleeps, writer_ends;

active proctype stores_land()
{
end_idle:
	do
	:: d_step { position != position_stored -> position++ }
	:: d_step { asleep != asleep_stored -> asleep = asleep_stored }
	od
}

#ifdef NO_WRITER_BARRIER
#define WRITER_BARRIER skip
#else
#define WRITER_BARRIER (position == position_stored)
#endif

#ifdef NO_READER_BARRIER
#define READER_BARRIER skip
#else
#define READER_BARRIER (asleep == asleep_stored)
#endif

#ifdef NO_SECOND_LOOK
#define FINDS_MORE false
#else
#define FINDS_MORE (position != taken)
#endif

active proctype writer()
{
	byte left;

	do
	:: left < LEAVES ->
		position_stored++;
		WRITER_BARRIER;
		if
		:: asleep -> woken = true
		:: else
		fi;
		left++
	:: else -> break
	od;
	writer_ends = true
}

active proctype reader()
{
end_idle:
	do
	:: position != taken -> taken++
	:: position == taken ->
		asleep_stored = true;
		READER_BARRIER;
		if
		:: FINDS_MORE
		:: else ->
			reader_sleeps = true;
end_asleep:
			atomic {
				woken -> woken = false;
				reader_sleeps = false
			}
		fi;
		asleep_stored = false
	od
}

active proctype nothing_waits()
{
end_idle:
	d_step {
		writer_ends && position == position_stored && reader_sleeps && !woken ->
		PROPERTY(read_before_it_sleeps, taken == position)
	}
}
