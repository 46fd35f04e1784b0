// SPDX-License-Identifier: GPL-2.0-or-later
/* trigger_action.c - see trigger_action.h. */
#include "stratad/trigger/trigger_action.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include <json-c/json.h>

#include "consumerd/host/worker.h"
#include "stratad/aggregate_session.h"

/* An action that fails is tried again after this time, and then after twice the last one: a disk
 * that is busy for a moment must not cost the only snapshot of --max 1. */
#define AGAIN_MS 250u
#define TRIES    5u

/* Whether the disk with the snapshots has room for another one.  Whoever can cause the condition
 * can have snapshots taken without end.  @why: OUT, if not */
static bool has_room(const struct trigger_action *action, char *why, size_t bytes)
{
	struct statvfs disk;
	uint64_t percent;

	if (action->model->rotate || !action->written[0] || !action->model->keep_free)
		return true;
	if (statvfs(action->written, &disk)) {
		snprintf(why, bytes,
			 "no snapshot is taken: %s: %s; --keep-free 0 takes them whatever is free",
			 action->written, strerror(errno));
		return false;
	}
	/* A file system that does not report its size sets no limit. */
	if (!disk.f_blocks)
		return true;
	percent = (uint64_t)((unsigned __int128)disk.f_bavail * 100 / disk.f_blocks);
	if (percent >= action->model->keep_free)
		return true;
	snprintf(why, bytes,
		 "no snapshot is taken: %" PRIu64 " %% of the disk of %s are free, and --keep-free "
		 "is %u %%; remove snapshots",
		 percent, action->written, action->model->keep_free);
	return false;
}

static void note_written(struct trigger_action *action, struct strata_control *control)
{
	const char *reply = strata_control_reply(control);
	struct json_object *object = reply ? json_tokener_parse(reply) : NULL, *output;

	if (json_object_object_get_ex(object, "output", &output)) {
		snprintf(action->written, sizeof(action->written), "%s",
			 json_object_get_string(output));
		/* The directory with all of them: this one may be removed. */
		dirname(action->written);
	}
	json_object_put(object);
}

/* Asks stratad. */
static enum strata_control_result ask(struct trigger_action *action)
{
	struct strata_control *control = action->open();
	enum strata_control_result result;

	action->failed = true;
	snprintf(action->done, sizeof(action->done), "stratad cannot be asked");
	if (!control)
		return STRATA_CONTROL_NO_REPLY;
	result = action->model->rotate ? strata_control_rotate(control, action->session)
				       : strata_control_snapshot(control, action->session, NULL);
	snprintf(action->done, sizeof(action->done), "%s", strata_control_message(control));
	action->failed = result != STRATA_CONTROL_OK;
	action->counts = true;
	note_written(action, control);
	strata_control_free(control);
	return result;
}

/* Waits, unless the trigger is to end.  Whether it goes on. */
static bool wait_ms(unsigned int ms)
{
	const struct timespec step = { .tv_nsec = 10000000 };
	unsigned int waited;

	for (waited = 0; waited < ms && !aggregate_session_is_interrupted(); waited += 10)
		nanosleep(&step, NULL);
	return !aggregate_session_is_interrupted();
}

/* In the worker's thread. */
static void act(struct work *work)
{
	struct trigger_action *action = (struct trigger_action *)work;
	enum strata_control_result result;
	unsigned int tries, again_ms = AGAIN_MS;

	action->counts = false;
	action->failed = !has_room(action, action->done, sizeof(action->done));
	if (action->failed)
		return;
	result = ask(action);
	/* Not where it was done in part. */
	for (tries = 1; tries < TRIES && result == STRATA_CONTROL_FAILED && wait_ms(again_ms);
	     tries++, again_ms *= 2) {
		if (tries == 1)
			fprintf(stderr, "strata: %s; it is tried again for some seconds\n",
				action->done);
		result = ask(action);
	}
}

int trigger_action_open(struct trigger_action *action, struct strata_error *error)
{
	action->worker = worker_open(-1, error);
	return action->worker ? 0 : -1;
}

void trigger_action_begin(struct trigger_action *action)
{
	action->is_under_way = true;
	action->work.run = act;
	worker_give(action->worker, &action->work);
}

bool trigger_action_ends(struct trigger_action *action)
{
	if (!action->is_under_way || !worker_take(action->worker))
		return false;
	action->is_under_way = false;
	return true;
}

void trigger_action_close(struct trigger_action *action)
{
	if (action->worker)
		worker_leave(action->worker);
}
