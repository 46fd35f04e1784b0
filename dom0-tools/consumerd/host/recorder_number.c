// SPDX-License-Identifier: GPL-2.0-or-later
/* recorder_number.c - see recorder_number.h. */
#include "consumerd/host/recorder_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumerd/host/run_lock.h"

/* How those who hold a number describe themselves: recorders, those that only count events, and
 * processes that clear up after a recorder, or list programs. */
#define RECORDER   "recorder"
#define FLIGHT     "flight recorder"
#define AGGREGATOR "aggregator"
#define CLEARS     "process"

static void lock_name(char *name, size_t bytes, unsigned int number)
{
	snprintf(name, bytes, "recorder-%u", number);
}

static void describe(char holder[RUN_LOCK_HOLDER_BYTES], unsigned int number, const char *kind)
{
	snprintf(holder, RUN_LOCK_HOLDER_BYTES, "%s %u (process %ld)", kind, number,
		 (long)getpid());
}

_Static_assert(RECORDER_NUMBER_NONE == RUN_LOCK_HELD, "a lock that is held is passed on");

/* Takes one number.  As recorder_number_take_wanted(). */
static int take(unsigned int number, const char *kind, struct strata_error *error)
{
	char name[32], holder[RUN_LOCK_HOLDER_BYTES];

	lock_name(name, sizeof(name), number);
	describe(holder, number, kind);
	return run_lock_take(name, holder, error);
}

int recorder_number_take_wanted(bool flight, bool (*wanted)(void *data, unsigned int number),
				void *data, unsigned int *number, struct strata_error *error)
{
	unsigned int i;

	for (i = 0; i < RECORDERS_MAX; i++) {
		int lock;

		if (wanted && !wanted(data, i))
			continue;
		lock = take(i, flight ? FLIGHT : RECORDER, error);
		if (lock == RUN_LOCK_HELD)
			continue;
		*number = i;
		return lock;
	}
	return RECORDER_NUMBER_NONE;
}

/* Fails with a message that names the holder of each number. */
static int fail_all_taken(struct strata_error *error)
{
	char name[32], holder[RUN_LOCK_HOLDER_BYTES], all[RECORDERS_MAX * sizeof(holder)] = "";
	struct strata_error ignored;
	unsigned int i;

	for (i = 0; i < RECORDERS_MAX; i++) {
		lock_name(name, sizeof(name), i);
		if (run_lock_look(name, holder, &ignored) > 0)
			snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s",
				 all[0] ? ", " : "", holder);
	}
	return strata_fail(error,
			   "%u recorders are running, as many as there can be; end one, or let one "
			   "record more with strata select: %s",
			   RECORDERS_MAX, all);
}

int recorder_number_take(bool flight, bool (*wanted)(void *data, unsigned int number), void *data,
			 unsigned int *number, struct strata_error *error)
{
	int lock = recorder_number_take_wanted(flight, wanted, data, number, error);

	if (lock == RECORDER_NUMBER_NONE && wanted)
		lock = recorder_number_take_wanted(flight, NULL, NULL, number, error);
	return lock == RECORDER_NUMBER_NONE ? fail_all_taken(error) : lock;
}

int recorder_number_take_last(bool (*wanted)(void *data, unsigned int number), void *data,
			      unsigned int *number, struct strata_error *error)
{
	for (*number = RECORDERS_MAX - 1; *number > 0; --*number) {
		int lock;

		if (!wanted(data, *number))
			continue;
		lock = take(*number, AGGREGATOR, error);
		if (lock != RUN_LOCK_HELD)
			return lock;
	}
	return strata_fail(
		error, "recorders and aggregators have all numbers from 1 to %u; end one, or wait",
		RECORDERS_MAX - 1);
}

void recorder_number_owner(unsigned int number, char owner[RUN_LOCK_HOLDER_BYTES])
{
	struct strata_error ignored;
	char name[32];

	lock_name(name, sizeof(name), number);
	if (run_lock_look(name, owner, &ignored) < 0 || !owner[0])
		snprintf(owner, RUN_LOCK_HOLDER_BYTES, "a recorder");
}

static bool begins_with(const char *holder, const char *word)
{
	return !strncmp(holder, word, strlen(word));
}

bool recorder_number_counts(const char *owner)
{
	return begins_with(owner, AGGREGATOR);
}

bool recorder_number_died(unsigned int number, char holder[RUN_LOCK_HOLDER_BYTES], bool *flight)
{
	struct strata_error ignored;
	char name[32];

	lock_name(name, sizeof(name), number);
	if (run_lock_look(name, holder, &ignored) != 0 || !holder[0])
		return false;
	*flight = begins_with(holder, FLIGHT);
	return true;
}

int recorder_number_take_dead(unsigned int number, struct strata_error *error)
{
	char name[32], holder[RUN_LOCK_HOLDER_BYTES];

	lock_name(name, sizeof(name), number);
	snprintf(holder, sizeof(holder), CLEARS " %ld, which clears up,", (long)getpid());
	return run_lock_take(name, holder, error);
}

int recorder_number_take_briefly(const char *what, unsigned int *number, struct strata_error *error)
{
	char name[32], holder[RUN_LOCK_HOLDER_BYTES];
	unsigned int i;
	bool flight;

	for (i = RECORDERS_MAX; i-- > 0;) {
		int lock;

		/* What is known of a recorder that died stays. */
		if (recorder_number_died(i, holder, &flight))
			continue;
		lock_name(name, sizeof(name), i);
		snprintf(holder, sizeof(holder), CLEARS " %ld, which %s,", (long)getpid(), what);
		lock = run_lock_take(name, holder, error);
		if (lock == RUN_LOCK_HELD)
			continue;
		*number = i;
		return lock;
	}
	return fail_all_taken(error);
}

int recorder_number_of(pid_t process)
{
	char name[32], holder[RUN_LOCK_HOLDER_BYTES], mark[32];
	struct strata_error ignored;
	unsigned int i;

	snprintf(mark, sizeof(mark), "(process %ld)", (long)process);
	for (i = 0; i < RECORDERS_MAX; i++) {
		lock_name(name, sizeof(name), i);
		if (run_lock_look(name, holder, &ignored) > 0 && strstr(holder, mark))
			return (int)i;
	}
	return -1;
}

int recorder_number_read(const char *text, int *number, struct strata_error *error)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end || value < 0 || value >= (long)RECORDERS_MAX)
		return strata_fail(error, "--recorder %s: recorders have numbers from 0 to %u",
				   text, RECORDERS_MAX - 1);
	*number = (int)value;
	return 0;
}

/* Whether a command may be meant for the holder of a number's lock.  A nameless one may be a flight
 * recorder. */
static bool takes_commands(const char *holder, bool flight)
{
	if (flight)
		return begins_with(holder, FLIGHT) || !strcmp(holder, RUN_LOCK_NAMELESS);
	return !begins_with(holder, CLEARS) && !begins_with(holder, AGGREGATOR);
}

int recorder_number_find(bool flight, int *number, struct strata_error *error)
{
	char name[32], holder[RUN_LOCK_HOLDER_BYTES], all[RECORDERS_MAX * sizeof(holder)] = "";
	unsigned int i, found = 0;
	int only = -1;

	for (i = 0; i < RECORDERS_MAX; i++) {
		int held;

		if (*number >= 0 && i != (unsigned int)*number)
			continue;
		lock_name(name, sizeof(name), i);
		held = run_lock_look(name, holder, error);
		if (held < 0)
			return -1;
		if (!held || !takes_commands(holder, flight && *number < 0))
			continue;
		only = (int)i;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", found ? ", " : "",
			 holder);
		found++;
	}
	if (found > 1)
		return strata_fail(error, "%u recorders are running: %s; name one by --recorder",
				   found, all);
	if (!found && *number >= 0)
		return strata_fail(error, "recorder %d is not running", *number);
	if (!found)
		return strata_fail(error, "no %s is running; start one: strata record%s",
				   flight ? FLIGHT : "recorder",
				   flight ? " --overwrite (of a session: --session NAME)" : "");
	*number = only;
	return 0;
}
