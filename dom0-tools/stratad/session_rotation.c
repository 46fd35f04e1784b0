// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_rotation.c - see session_rotation.h.
 *
 * A thread removes recordings, because files of gigabytes take long to remove.
 */
#include "stratad/session_rotation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumerd/host/worker.h"
#include "recording/recording_remove.h"
#include "stratad/session.h"

/* After a rotation that failed, the next one waits. */
#define AGAIN_MS 10000u

/* How long the end of a recording waits for the removal of another one. */
#define CLOSE_MS 10000u

/* A recording that has ended. */
struct finished {
	struct work work; /* its removal */
	struct recorder_finished recording;
	bool nested;                /* in a directory that it shares with those of other channels */
	struct strata_error failed; /* why it could not be removed; "": it was */
	struct finished *next;      /* the next older one is before it */
};

struct rotation {
	struct strata_rotation when;
	struct finished *oldest; /* of those that stay */
	unsigned int nr_finished;
	unsigned int nr_rotations;
	bool partial;                      /* of some ended recording */
	uint64_t began_ticks, began_bytes; /* of the present recording */
	uint64_t again_ticks;              /* not before */
	struct worker *worker;             /* NULL: nothing has been removed yet */
};

struct rotation *rotation_open(const struct strata_rotation *when)
{
	struct rotation *rotation = calloc(1, sizeof(*rotation));

	if (rotation) {
		rotation->when = *when;
		rotation->began_ticks = strata_clock();
	}
	return rotation;
}

void rotation_set(struct rotation *rotation, const struct strata_rotation *when)
{
	rotation->when = *when;
}

uint64_t session_rotation_wait_ms(const struct session *session, uint64_t most_ms)
{
	const struct rotation *rotation = session->rotation;
	const uint64_t now = strata_clock();
	uint64_t passed_ms, left_ms;

	if (!rotation->when.ms || session->options->overwrite)
		return most_ms;
	if (now < rotation->again_ticks) {
		left_ms = (rotation->again_ticks - now) / session->tsc_khz + 1;
	} else {
		passed_ms = session_ms_since(session, rotation->began_ticks);
		left_ms = passed_ms < rotation->when.ms ? rotation->when.ms - passed_ms : 0;
	}
	return left_ms < most_ms ? left_ms : most_ms;
}

unsigned int rotation_count(const struct rotation *rotation)
{
	return rotation->nr_rotations;
}

bool rotation_is_partial(const struct rotation *rotation)
{
	return rotation->partial;
}

/* Whether the directory is still the recording's, and not a new one of the same name. */
static bool is_same(const struct strata_dir *dir, const struct recorder_finished *recording)
{
	struct stat status;

	return !fstat(dir->fd, &status) && status.st_dev == recording->device &&
	       status.st_ino == recording->inode;
}

/* In the thread. */
static void run_removal(struct work *work)
{
	struct finished *one = (struct finished *)work;
	struct strata_dir dir;

	if (strata_dir_open(&dir, one->recording.path, &one->failed))
		return;
	if (!is_same(&dir, &one->recording))
		strata_fail(&one->failed, "%s: another directory has that name now; it stays",
			    one->recording.path);
	else
		strata_recording_remove(&dir, &one->failed);
	strata_dir_close(&dir);
	if (one->failed.text[0])
		return;
	strata_dir_remove_empty(one->recording.path);
	if (one->nested) {
		*strrchr(one->recording.path, '/') = '\0';
		strata_dir_remove_empty(one->recording.path);
	}
}

/* Reports the result of a removal, and frees its work. */
static void take_back(struct work *work)
{
	struct finished *one = (struct finished *)work;

	if (one->failed.text[0])
		fprintf(stderr, "strata: an old recording cannot be removed: %s\n",
			one->failed.text);
	else
		recorder_note_removed(&one->recording);
	free(one->recording.shares);
	free(one);
}

/* Has the thread remove the oldest recording. */
static void remove_oldest(struct rotation *rotation)
{
	struct finished *one = rotation->oldest;
	struct strata_error error;

	if (!rotation->worker)
		rotation->worker = worker_open(-1, &error);
	if (!rotation->worker) {
		/* No thread now: at the next turn. */
		return;
	}
	rotation->oldest = one->next;
	rotation->nr_finished--;
	one->work.run = run_removal;
	worker_give(rotation->worker, &one->work);
}

static void add_finished(struct rotation *rotation, struct finished *one)
{
	struct finished **at = &rotation->oldest;

	while (*at)
		at = &(*at)->next;
	*at = one;
	rotation->nr_finished++;
	rotation->nr_rotations++;
}

/* Names the directory of the next recording. */
static int name_next(const struct record_options *options, char path[PATH_MAX],
		     struct strata_error *error)
{
	return options->rotation_leaf
		       ? output_dir_dated_leaf(path, options->rotation_dir, "recording",
					       options->rotation_leaf, error)
		       : output_dir_dated(path, options->rotation_dir, "recording", error);
}

int session_rotate(struct session *session, const char *path, struct strata_error *error)
{
	struct rotation *rotation = session->rotation;
	struct finished *one = calloc(1, sizeof(*one));
	struct strata_dir earlier;
	struct strata_error why;
	char named[PATH_MAX];
	bool partial;

	if (!one)
		return strata_fail(error, "out of memory");
	session_set_clock(session);
	if ((!path && name_next(session->options, named, error)) ||
	    recorder_rotate(session->recorder, path ? path : named, &one->recording, error)) {
		free(one);
		return -1;
	}
	one->nested = session->options->rotation_leaf != NULL;
	add_finished(rotation, one);
	rotation->began_ticks = strata_clock();
	rotation->began_bytes = recorder_totals(session->recorder).bytes;
	partial = one->recording.partial;
	rotation->partial |= partial;
	earlier = session->dir;
	if (strata_dir_copy(&session->dir, recorder_dir(session->recorder), &why))
		fprintf(stderr, "strata: %s\n", why.text);
	/* Reading the kernel's symbols again would hold up the rings. */
	linkat(earlier.fd, STRATA_RECORDING_KALLSYMS, session->dir.fd, STRATA_RECORDING_KALLSYMS,
	       0);
	strata_dir_close(&earlier);
	/* Every recording needs the state of all clocks at its beginning. */
	if (session_records_xen(session) && hypervisor_flush(session->hypervisor, &why))
		fprintf(stderr, "strata: %s\n", why.text);
	return partial ? 1 : 0;
}

/* Has the thread remove all ended recordings.  0 or -1. */
static int remove_all(struct rotation *rotation, struct strata_error *error)
{
	while (rotation->oldest) {
		const struct finished *oldest = rotation->oldest;

		remove_oldest(rotation);
		if (rotation->oldest == oldest)
			return strata_fail(error, "%s stays: no thread to remove it",
					   oldest->recording.path);
	}
	return 0;
}

int session_clear(struct session *session, const char *path, struct strata_error *error)
{
	/* The ended ones first: a full disk has no room for a new one. */
	if (remove_all(session->rotation, error) || session_rotate(session, path, error) < 0)
		return -1;
	return remove_all(session->rotation, error);
}

static bool is_time(const struct session *session)
{
	const struct rotation *rotation = session->rotation;
	const uint64_t now = strata_clock();
	const uint64_t bytes = recorder_totals(session->recorder).bytes - rotation->began_bytes;

	if (session->options->overwrite || now < rotation->again_ticks)
		return false;
	return (rotation->when.bytes && bytes >= rotation->when.bytes) ||
	       (rotation->when.ms &&
		(now - rotation->began_ticks) / session->tsc_khz >= rotation->when.ms);
}

void session_tend_rotation(struct session *session)
{
	struct rotation *rotation = session->rotation;
	struct strata_error error = { "" };
	struct work *work;

	if (is_time(session) && session_rotate(session, NULL, &error) < 0) {
		/* The disk may be full: remove a recording that --keep would remove next. */
		if (rotation->when.keep && rotation->oldest)
			remove_oldest(rotation);
		fprintf(stderr,
			"strata: the recording cannot rotate: %s; the next attempt is in %u s\n",
			error.text, AGAIN_MS / 1000u);
		rotation->again_ticks = strata_clock() + (uint64_t)session->tsc_khz * AGAIN_MS;
	}
	if (rotation->when.keep && rotation->nr_finished >= rotation->when.keep)
		remove_oldest(rotation);
	while (rotation->worker && (work = worker_take(rotation->worker)))
		take_back(work);
}

void rotation_close(struct rotation *rotation)
{
	struct finished *one;

	if (!rotation)
		return;
	if (!worker_close(rotation->worker, CLOSE_MS, take_back))
		fprintf(stderr,
			"strata: the removal of an old recording takes over %u s and is not "
			"finished; remove the rest by hand\n",
			CLOSE_MS / 1000u);
	while ((one = rotation->oldest)) {
		rotation->oldest = one->next;
		free(one->recording.shares);
		free(one);
	}
	free(rotation);
}
