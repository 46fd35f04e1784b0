// SPDX-License-Identifier: GPL-2.0-or-later
/* fake_stderr_queue.c - stderr_queue.h without a queue: messages go to where verbs.c reads them. */
#include "consumerd/host/stderr_queue.h"

void stderr_queue_open(void)
{
}

void stderr_queue_limit_file(size_t most)
{
	(void)most;
}

void stderr_queue_flush(void)
{
}

bool stderr_queue_is_empty(void)
{
	return true;
}

void stderr_queue_close(void)
{
}
