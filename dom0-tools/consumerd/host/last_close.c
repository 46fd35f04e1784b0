// SPDX-License-Identifier: GPL-2.0-or-later
/* last_close.c - see last_close.h. */
#include "consumerd/host/last_close.h"

#include <errno.h>
#include <sched.h>

static void wait_for(sem_t *event)
{
	while (sem_wait(event))
		;
}

void last_close_init(struct last_close *close)
{
	sem_init(&close->has_copy, 0, 0);
	sem_init(&close->may_end, 0, 0);
	close->error = 0;
}

void last_close_destroy(struct last_close *close)
{
	sem_destroy(&close->has_copy);
	sem_destroy(&close->may_end);
}

void last_close_hold(struct last_close *close)
{
	close->error = unshare(CLONE_FILES) ? errno : 0;
	sem_post(&close->has_copy);
	wait_for(&close->may_end);
}

int last_close_await(struct last_close *close)
{
	wait_for(&close->has_copy);
	return close->error;
}

void last_close_allow(struct last_close *close)
{
	sem_post(&close->may_end);
}
