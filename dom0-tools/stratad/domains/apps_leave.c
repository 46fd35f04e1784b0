// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * apps_leave.c - ends an application: its source, then its file of rings, then its entry in the
 * list.
 *
 * Called by apps.c and apps_talk.c.  It never waits: a source that still drains keeps its
 * application in the list, and apps_talk.c asks again in the next turn.
 */
#include "stratad/domains/apps_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "consumerd/host/hang_up.h"

/* Keeps the file of its rings until the tables are on the disk. */
static void leave_file(struct apps *apps, struct application *one)
{
	struct ended_file *file = malloc(sizeof(*file));

	if (!file || !app_leave_file(&one->app, file->name)) {
		free(file);
		return;
	}
	file->next = apps->ended;
	apps->ended = file;
}

void apps_forget_files(struct apps *apps, bool remove)
{
	while (apps->ended) {
		struct ended_file *file = apps->ended;

		apps->ended = file->next;
		if (remove)
			ring_file_remove(apps->channel.dir, file->name);
		free(file);
	}
}

void apps_keep_file(struct application *one)
{
	const struct strata_dir *dir = one->app.memory.dir;
	char name[RING_FILE_NAME_BYTES];

	/* The directory may have been moved or removed. */
	if (app_leave_file(&one->app, name) && ring_file_is_there(dir, name))
		fprintf(stderr,
			"strata: the unwritten events are in %s/" RING_FILE_DIR "/%s: `strata "
			"recover` takes it from there when the recording has ended\n",
			dir->path, name);
}

bool apps_return_memory(struct apps *apps, struct application *one, struct principal *who)
{
	struct memory_to_return gone = { .fd = -1,
					 .who = who,
					 .claimed = one->memory_bytes,
					 .watch = one->watch,
					 .kernel_id = one->app.memory.kernel_id };

	gone.memory = app_memory_take(&one->app.memory, &gone.bytes);
	if (!gone.memory)
		return apps_abandon_memory(apps, one, who);
	memory_return_give(apps->returns, &gone);
	return true;
}

/* Frees an application. */
static void forget(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];

	if (one->connection)
		app_connection_close(one->connection);
	principal_give_back(one->who, PRINCIPAL_CONNECTIONS, 1);
	principal_give_back(one->who, PRINCIPAL_TABLE_BYTES, one->claimed_bytes);
	if (!apps_return_memory(apps, one, one->who))
		principal_give_back(one->who, PRINCIPAL_MEMORY_BYTES, one->memory_bytes);
	app_close(&one->app);
	free(one);
	apps->list[index] = apps->list[--apps->nr];
}

/* Begins to close its socket: shutting it down may take as long as its user likes. */
static void close_socket(struct apps *apps, struct application *one)
{
	apps_listen(apps, one, false);
	if (one->connection)
		app_connection_hang_up(one->connection);
	else
		hang_up(one->app.socket);
	one->app.socket = -1;
}

/* False: its socket is closed, and it was freed. */
static bool still_closes(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];

	one->step = APPLICATION_CLOSING;
	if (one->connection && one->connection->busy)
		return true;
	forget(apps, index);
	return false;
}

bool apps_still_leaves(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];

	if (one->step == APPLICATION_CLOSING)
		return still_closes(apps, index);
	switch (recorder_presence(apps->recorder, one->source)) {
	case RECORDER_SOURCE_IS_THERE:
	case RECORDER_SOURCE_LEAVES:
		return true;
	case RECORDER_SOURCE_IS_GONE:
		leave_file(apps, one);
		break;
	case RECORDER_SOURCE_LEFT_NOTHING:
		break;
	case RECORDER_SOURCE_FAILED:
		apps_keep_file(one);
		break;
	}
	return still_closes(apps, index);
}

bool apps_let_go(struct apps *apps, size_t index, enum strata_source_end reason)
{
	struct application *one = apps->list[index];

	close_socket(apps, one);
	if (one->counted) {
		aggregated_apps_end(apps->counting, one->counted, true);
		one->counted = NULL;
	}
	/* Nothing was recorded into its rings. */
	if (one->step < APPLICATION_ATTACHING || apps->counting)
		return still_closes(apps, index);
	recorder_leave_source(apps->recorder, one->source, reason);
	one->step = APPLICATION_LEAVING;
	return apps_still_leaves(apps, index);
}
