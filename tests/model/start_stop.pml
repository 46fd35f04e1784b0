/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start_stop.pml - stop, as the hypervisor does it: shut the gate, then interrupt
 * the CPU until the interrupt finds no probe below itself, and flushes.  After
 * stop has returned, no probe writes, all is flushed, and the ring may go.
 *
 * probe_begin(), probe_end(), strata_flush_this_cpu() and strata_stop_recording()
 * of xen-patch/src/common/strata; `probes` stands for strata_ring_enter()'s `nesting`
 * too, which is counted in the same way by the same plain stores.
 */
#include "properties.pmh"

/* A task's probes, in them the interrupt of stop, in both the probes of an NMI. */
#define INTERRUPT 2

byte cpu_level;
byte probes;       /* probes under way on this CPU */
bool gate = true;  /* strata_started() */
byte open_bytes;   /* won, and not flushed */
byte writers;      /* between reserve and commit */
bool freed;
bool asked, answered, idle; /* the interrupt of quiesce_this_cpu(), and what it found */

#define ON_THE_CPU provided (cpu_level <= _pid + 1)

/* Whether the gate is looked at before the probe is counted, or after. */
inline probe_begins()
{
#ifdef GATE_BEFORE_COUNT
	passed = gate;
	depth = probes + 1;
	probes = depth
#else
	depth = probes + 1;
	probes = depth;
	passed = gate
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
	byte below, depth;
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

/* strata_stop_recording() on another CPU, then free_rings(); then all begins anew, create and start */
active proctype stop()
{
	do
	::	gate = false;
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
			freed = false;
			gate = true
		}
	od
}
