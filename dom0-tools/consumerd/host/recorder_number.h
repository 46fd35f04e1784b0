/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder_number.h - the number of a recorder: several may run at a time, each with a number of
 * its own, which is also that of its channel in the hypervisor, in each kernel and in each
 * application.
 */
#ifndef STRATA_CONSUMERD_RECORDER_NUMBER_H
#define STRATA_CONSUMERD_RECORDER_NUMBER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "consumerd/host/run_lock.h"

#define RECORDERS_MAX 8u

/* recorder_number_take_wanted(): no number was both wanted and free. */
#define RECORDER_NUMBER_NONE (-2)

/*
 * Takes the lock of a free number.
 * @flight: this is a flight recorder
 * @wanted: tells whether a number will do; NULL: any
 * @number: OUT
 * Returns a descriptor for run_lock_release(), RECORDER_NUMBER_NONE, or -1 with the reason.
 */
int recorder_number_take_wanted(bool flight, bool (*wanted)(void *data, unsigned int number),
				void *data, unsigned int *number, struct strata_error *error);

/* The same, but rather takes any number than none. */
int recorder_number_take(bool flight, bool (*wanted)(void *data, unsigned int number), void *data,
			 unsigned int *number, struct strata_error *error);

/*
 * Takes the lock of the highest free number but 0, for a process that counts events and records
 * none: recorders take low ones, whose channels come first in each probe.  @wanted, @number: as
 * above. A descriptor for run_lock_release(), or -1 with the reason.
 */
int recorder_number_take_last(bool (*wanted)(void *data, unsigned int number), void *data,
			      unsigned int *number, struct strata_error *error);

/* Whether a description, as recorder_number_owner() gives it, is of a process that counts. */
bool recorder_number_counts(const char *owner);

/* Names the recorder that has @number, or had it and died; "a recorder" where that is unknown. */
void recorder_number_owner(unsigned int number, char owner[RUN_LOCK_HOLDER_BYTES]);

/*
 * Whether recorder @number died without giving its number back.
 * @holder: OUT: which recorder it was
 * @flight: OUT: whether it was a flight recorder
 */
bool recorder_number_died(unsigned int number, char holder[RUN_LOCK_HOLDER_BYTES], bool *flight);

/* Takes the lock of @number, if its recorder is dead, to clear up after it.  A descriptor for
 * run_lock_release(), or a negative number. */
int recorder_number_take_dead(unsigned int number, struct strata_error *error);

/*
 * Takes the lock of a free number for a process that is no recorder, and takes no commands.
 * @what: it does, for others to read
 * @number: OUT
 * Returns a descriptor for run_lock_release(), or -1: @error names the holders of all numbers.
 */
int recorder_number_take_briefly(const char *what, unsigned int *number,
				 struct strata_error *error);

/*
 * Finds the recorder to which a command goes.
 * @flight: it is for flight recorders only
 * @number: IN: the one that was asked for, or -1: the only one; OUT
 * 0, or -1 with the reason: none runs, or several do.
 */
int recorder_number_find(bool flight, int *number, struct strata_error *error);

/* Finds the number that a process has.  -1: it has none. */
int recorder_number_of(pid_t process);

/* Reads a number from an option.  0 or -1. */
int recorder_number_read(const char *text, int *number, struct strata_error *error);

#endif /* STRATA_CONSUMERD_RECORDER_NUMBER_H */
