/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu.h - one CPU, on which contexts stack up: a task, an interrupt in it, an
 * NMI in that.  Each is a process that loops; it enters when nothing at or above
 * its level runs, and while something above it runs it does not move.
 *
 * A context runs to its end once it entered, but for those above it.  Other
 * processes (a reader in another domain) run whenever they like.
 *
 * TASKS is how many tasks there are one after the other, NESTED how many times they
 * are interrupted in all.  The contexts must be the first processes of a model:
 * their level is _pid + 1.
 */
#ifndef LEVELS
#define LEVELS 3
#endif
#ifndef TASKS
#define TASKS 3
#endif
#ifndef NESTED
#define NESTED 2
#endif

#ifndef LEVELS_OF_SMALL_RECORDS
#define LEVELS_OF_SMALL_RECORDS LEVELS
#endif

#define LEVEL (_pid + 1)

byte cpu_level;   /* that runs; 0: the CPU is idle */
byte tasks_left = TASKS;
byte nested_left = NESTED;

/* Was a context interrupted since it last cleared this?  A bit for each of its loops. */
byte interrupted[LEVELS];

#define RESERVE_LOOP 1
#define PUBLISH_LOOP 2
#define COPY_LOOP    4
#define ALL_LOOPS    7

#define ON_THE_CPU provided (cpu_level <= _pid + 1)

/* An interrupt of an idle CPU is no other than a task. */
inline enter_context()
{
	cpu_level < LEVEL && (LEVEL == 1 -> tasks_left > 0 : cpu_level > 0 && nested_left > 0) ->
	below = cpu_level;
	cpu_level = LEVEL;
	if
	:: LEVEL == 1 -> tasks_left--
	:: else -> nested_left--
	fi
}

inline leave_context()
{
	cpu_level = below;
	if
	:: below > 0 -> interrupted[below - 1] = ALL_LOOPS
#ifdef UNDELIVERED_IS_FINE
	:: else
#else
	:: else -> check_all_delivered()
#endif
	fi;
	interrupted[_pid] = 0;
	below = 0
}

/* Says in which loop we begin a turn. */
#define BEGIN_TURN(loop) interrupted[_pid] = interrupted[_pid] & (ALL_LOOPS - loop)

/* Nested writers finish in a bounded number of steps: a turn of a loop is lost only to somebody
 * nested, who has finished. */
#define BOUNDED_STEPS(loop) PROPERTY(steps_are_bounded, (interrupted[_pid] & loop) != 0)
