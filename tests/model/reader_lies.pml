/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_lies.pml - the writers of a ring in discard mode, when the reader's word
 * holds anything at any time: a guest's reader area is domain 0's to write.  It
 * may cost the guest its trace, but the writers never get into each other's way,
 * never loop for it, and hand over every sub-buffer.
 */
#define LEVELS 2
#include "properties.pmh"
#include "counters.pmh"
#include "cpu.pmh"

bool says_full; /* what equation (1) makes of read_count: whatever the reader likes */

#define BUFFER_IS_FULL(position) says_full

inline hold_page()
{
	skip
}

inline check_won(position, nr)
{
	skip
}

inline fill_record()
{
	skip
}

inline build_header()
{
	skip
}

inline check_lost()
{
	skip
}

#include "writer.pmh"

active proctype reader()
{
	do
	:: says_full = !says_full
	od
}
