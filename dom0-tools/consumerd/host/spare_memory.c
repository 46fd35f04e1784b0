// SPDX-License-Identifier: GPL-2.0-or-later
/* spare_memory.c - see spare_memory.h; apps.c and app_memory.c call it. */
#include "consumerd/host/spare_memory.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "consumerd/host/kernel_memory.h"
#include "consumerd/host/other_cpus.h"
#include "consumerd/host/worker.h"

/* How long the end waits for a piece that is being made. */
#define CLOSE_MS 500u

/* A piece to make or to close, and what was made. */
struct piece {
	struct work work; /* first: they are converted */
	size_t bytes;
	int fd; /* -1: it could not be made, or is closed */
	uint32_t id;
	int loop_cpu; /* which does nothing else while it makes or closes one */
};

struct spare_memory {
	struct worker *worker;
	struct piece piece;
	/* The thread has the piece while it is MAKING or CLOSING. */
	enum { NOTHING, MAKING, READY, CLOSING } state;
};

static void make(struct work *work)
{
	struct piece *piece = (struct piece *)work;

	other_cpus_than(piece->loop_cpu);
	piece->fd = kernel_memory_make(piece->bytes, &piece->id);
}

struct spare_memory *spare_memory_open(void)
{
	struct spare_memory *spare = calloc(1, sizeof(*spare));
	struct strata_error ignored;

	if (!spare)
		return NULL;
	spare->piece.fd = -1;
	spare->state = NOTHING;
	spare->worker = worker_open(-1, &ignored);
	if (spare->worker)
		return spare;
	free(spare);
	return NULL;
}

static void give_up(struct piece *piece)
{
	if (piece->fd >= 0)
		close(piece->fd);
	piece->fd = -1;
}

static void drop(struct work *work)
{
	give_up((struct piece *)work);
}

static void drop_elsewhere(struct work *work)
{
	other_cpus_than(((struct piece *)work)->loop_cpu);
	drop(work);
}

/* Has the thread run something on the piece. */
static void give(struct spare_memory *spare, void (*run)(struct work *work))
{
	spare->piece.work.run = run;
	spare->piece.loop_cpu = sched_getcpu();
	worker_give(spare->worker, &spare->piece.work);
}

/* Looks whether the thread is ready. */
static void look(struct spare_memory *spare)
{
	if ((spare->state == MAKING || spare->state == CLOSING) && worker_take(spare->worker))
		spare->state = spare->state == MAKING ? READY : NOTHING;
}

void spare_memory_make(struct spare_memory *spare, size_t bytes)
{
	if (!spare)
		return;
	look(spare);
	if (spare->state != NOTHING)
		return;
	spare->state = MAKING;
	spare->piece = (struct piece){ .bytes = bytes, .fd = -1 };
	give(spare, make);
}

int spare_memory_take(struct spare_memory *spare, size_t bytes, uint32_t *id)
{
	if (!spare)
		return -1;
	look(spare);
	if (spare->state != READY)
		return -1;
	if (spare->piece.fd >= 0 && spare->piece.bytes != bytes) {
		spare->state = CLOSING;
		give(spare, drop_elsewhere);
		return -1;
	}
	spare->state = NOTHING;
	*id = spare->piece.id;
	return spare->piece.fd;
}

void spare_memory_close(struct spare_memory *spare)
{
	if (!spare)
		return;
	if (spare->state == READY)
		give_up(&spare->piece);
	/* The thread still uses it unless it ends in time. */
	if (worker_close(spare->worker, CLOSE_MS, drop))
		free(spare);
}
