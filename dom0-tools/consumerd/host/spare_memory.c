// SPDX-License-Identifier: GPL-2.0-or-later
/* spare_memory.c - see spare_memory.h; apps.c and app_memory.c call it. */
#include "consumerd/host/spare_memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "consumerd/host/kernel_memory.h"
#include "consumerd/host/worker.h"

/* How long the end waits for a piece that is being made. */
#define CLOSE_MS 500u

/* A piece to make, and what was made. */
struct piece {
	struct work work; /* first: they are converted */
	size_t bytes;
	int fd; /* -1: it could not be made */
	uint32_t id;
};

struct spare_memory {
	struct worker *worker;
	struct piece piece;
	bool is_wanted; /* made, or being made */
	bool is_made;   /* the piece is ours, and not the worker's */
};

static void make(struct work *work)
{
	struct piece *piece = (struct piece *)work;

	piece->fd = kernel_memory_make(piece->bytes, &piece->id);
}

struct spare_memory *spare_memory_open(void)
{
	struct spare_memory *spare = calloc(1, sizeof(*spare));
	struct strata_error ignored;

	if (!spare)
		return NULL;
	spare->piece.fd = -1;
	spare->worker = worker_open(-1, &ignored);
	if (spare->worker)
		return spare;
	free(spare);
	return NULL;
}

void spare_memory_make(struct spare_memory *spare, size_t bytes)
{
	if (!spare || spare->is_wanted)
		return;
	spare->is_wanted = true;
	spare->is_made = false;
	spare->piece = (struct piece){ .work = { .run = make }, .bytes = bytes, .fd = -1 };
	worker_give(spare->worker, &spare->piece.work);
}

static void give_up(struct piece *piece)
{
	if (piece->fd >= 0)
		close(piece->fd);
	piece->fd = -1;
}

int spare_memory_take(struct spare_memory *spare, size_t bytes, uint32_t *id)
{
	struct piece *piece;

	if (!spare || !spare->is_wanted)
		return -1;
	piece = &spare->piece;
	if (!spare->is_made)
		spare->is_made = worker_take(spare->worker) != NULL;
	if (!spare->is_made)
		return -1;
	spare->is_wanted = false;
	if (piece->bytes != bytes)
		give_up(piece);
	*id = piece->id;
	return piece->fd;
}

static void drop(struct work *work)
{
	give_up((struct piece *)work);
}

void spare_memory_close(struct spare_memory *spare)
{
	if (!spare)
		return;
	if (spare->is_made && spare->is_wanted)
		give_up(&spare->piece);
	/* Whatever is still being made uses it. */
	if (worker_close(spare->worker, CLOSE_MS, drop))
		free(spare);
}
