/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet.pml - time and losses in the packets of a ring in discard mode, with a
 * clock that steps back once.
 */
#define PACKETS
#define LEVELS 2
#define TASKS  1
#ifndef NESTED
#define NESTED 3
#endif
#define LEVELS_OF_SMALL_RECORDS 1
#include "discard.pml"

active proctype clock_steps_back()
{
	d_step {
		clock = clock - STEP_BACK;
		stepped = true
	}
}
