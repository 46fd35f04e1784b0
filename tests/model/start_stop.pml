/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start_stop.pml - stop, as the hypervisor does it: shut the gate, then interrupt
 * the CPU until the interrupt finds no probe below itself, and flushes.  After
 * stop has returned, no probe writes, all is flushed, and the ring may go.
 *
 * The gate is two words, and the vCPU that runs keeps what it found of both in one of
 * its own: a probe goes by that while the generation is the one that it was found with.
 *
 * probe_begin(), strata_runner(), strata_find_runner(), probe_end(), strata_set_start(),
 * strata_flush_this_cpu() and strata_stop_recording() of xen-patch/src/common/strata;
 * `probes` stands for strata_ring_enter()'s `nesting` too, which is counted in the same
 * way by the same plain stores.
 */
#include "properties.pmh"

/* A task's probes, in them the interrupt of stop, in both the probes of an NMI. */
#define INTERRUPT 2

byte cpu_level;
byte probes;       /* probes under way on this CPU */
bool started = true;
byte generation = 1; /* of `started` */
byte kept_generation; /* the vCPU's word, stored at once with the next; 0: none yet */
bool kept_started;
byte open_bytes;   /* won, and not flushed */
byte writers;      /* between reserve and commit */
bool freed;
bool asked, answered, idle; /* the interrupt of quiesce_this_cpu(), and what it found */

#define ON_THE_CPU provided (cpu_level <= _pid + 1)

/* strata_runner(), strata_find_runner() */
inline look_at_the_gate()
{
	d_step {
		known = kept_generation;
		passed = kept_started
	};
	seen = generation;
	if
	:: seen != known ->
#ifdef STARTED_READ_FIRST
		passed = started;
		seen = generation;
#else
		seen = generation;
		passed = started;
#endif
		d_step {
			kept_generation = seen;
			kept_started = passed
		}
	:: else
	fi
}

/* Whether the gate is looked at before the probe is counted, or after. */
inline probe_begins()
{
#ifdef GATE_BEFORE_COUNT
	look_at_the_gate();
	depth = probes + 1;
	probes = depth
#else
	depth = probes + 1;
	probes = depth;
	look_at_the_gate()
#endif
}

inline probe_ends()
{
	depth = probes - 1;
	probes = depth
}

inline write_through_the_gate()
{
	if
	:: passed ->
		d_step {
			PROPERTY(no_probe_after_stop, !freed);
			writers++
		};
		d_step {
			PROPERTY(no_probe_after_stop, !freed);
			writers--;
			open_bytes = 1
		}
	:: else
	fi
}

inline probe()
{
	byte below, depth, known, seen;
	bool passed;

	do
	::	d_step {
			cpu_level < _pid + 1 ->
			below = cpu_level;
			cpu_level = _pid + 1
		};
		probe_begins();
		write_through_the_gate();
		probe_ends();
		d_step {
			cpu_level = below;
			below = 0;
			depth = 0;
			known = 0;
			seen = 0;
			passed = false
		}
	od
}

active proctype task() ON_THE_CPU
{
	probe()
}

/* strata_flush_this_cpu(), in an interrupt of the CPU */
active proctype interrupt() ON_THE_CPU
{
	byte below;

	do
	::	d_step {
			asked && cpu_level < INTERRUPT ->
			below = cpu_level;
			cpu_level = INTERRUPT;
			asked = false
		};
#ifdef NO_LOOK_AT_PROBES
		idle = true;
#else
		idle = (probes == 0);
#endif
		if
		:: idle -> open_bytes = 0
		:: else
		fi;
		d_step {
			cpu_level = below;
			below = 0;
			answered = true
		}
	od
}

active proctype nmi() ON_THE_CPU
{
	probe()
}

/* strata_set_start() */
inline set_started(start)
{
#ifdef GENERATION_FIRST
	generation = generation + 1;
	started = start
#else
	started = start;
	generation = generation + 1
#endif
}

/*
 * strata_stop_recording() on another CPU, then free_rings(); then all begins anew, create and
 * start.  A few times: no generation comes again, and what a probe remembers of one is forgotten
 * with the next.
 */
active proctype stop()
{
	do
	::	generation < 7 ->
		set_started(false);
		do
		::	asked = true;
			d_step {
				answered ->
				answered = false
			};
			if
			:: idle -> break
#ifdef ASK_ONCE
			:: else -> break
#else
			:: else
#endif
			fi
		od;
		atomic {
			PROPERTY(flushed_by_stop, open_bytes == 0 && writers == 0);
			freed = true
		};
		atomic {
			idle = false;
			freed = false
		};
		set_started(true)
	::	else -> break
	od
}
