// SPDX-License-Identifier: GPL-2.0-or-later
/* write_back.c - see write_back.h. */
#include "consumerd/drain/write_back.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "consumerd/host/worker.h"

/* How long the thread may take to end; after that it is left behind. */
#define CLOSE_MS 1000u

struct write_back {
	struct work work; /* the range that is asked for */
	int fd;           /* of our own, because the file may be closed meanwhile; -1: none */
	off_t from, bytes;
	bool under_way;
	struct worker *worker;
};

/* A wish: if the kernel refuses it, the file is written later. */
static void run(struct work *work)
{
	struct write_back *range = (struct write_back *)work;

	sync_file_range(range->fd, range->from, range->bytes, SYNC_FILE_RANGE_WRITE);
	close(range->fd);
	range->fd = -1;
}

static struct write_back *make(void)
{
	struct write_back *write_back = calloc(1, sizeof(*write_back));
	struct strata_error ignored;

	if (!write_back)
		return NULL;
	write_back->work.run = run;
	write_back->fd = -1;
	write_back->worker = worker_open(-1, &ignored);
	if (write_back->worker)
		return write_back;
	free(write_back);
	return NULL;
}

void write_back_start(struct write_back **write_back, struct stream_file *file)
{
	const uint64_t end = file->bytes & ~(WRITE_BACK_BYTES - 1);
	struct write_back *range = *write_back;

	/* In each call: the thread may have had the lock when it was given the range, which it gets
	 * now. */
	if (range && range->under_way && worker_take(range->worker))
		range->under_way = false;
	if (end <= file->written_back || (range && range->under_way))
		return;
	if (!range)
		range = *write_back = make();
	if (!range)
		return;
	range->fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	if (range->fd < 0)
		return;
	range->from = (off_t)file->written_back;
	range->bytes = (off_t)(end - file->written_back);
	range->under_way = true;
	file->written_back = end;
	worker_give(range->worker, &range->work);
}

static void drop(struct work *work)
{
	struct write_back *range = (struct write_back *)work;

	if (range->fd >= 0)
		close(range->fd);
}

void write_back_close(struct write_back *write_back)
{
	if (write_back && worker_close(write_back->worker, CLOSE_MS, drop))
		free(write_back);
}
