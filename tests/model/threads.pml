/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.pml - a ring in discard mode that two threads of an application share, by
 * reserve and commit (STRATA_WRITERS_SHARE_CPU is 0): discard.pml, in which the
 * writers are threads that migrate.  strata_ring_publish() has no second look then,
 * and strata_ring_completes() tells no prefix.
 */
#define THREADS
#define PUBLISH_ONCE
#define NO_PREFIX
#include "discard.pml"

#ifndef STAY
/* The kernel moves a thread that is not amid an instruction. */
active proctype migration()
{
end_idle:
	do
	:: d_step { amid_instruction != 1 -> on_second_cpu[0] = !on_second_cpu[0] }
	od
}
#endif
