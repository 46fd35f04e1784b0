// SPDX-License-Identifier: GPL-2.0-or-later
/* progress_line.c - see progress_line.h. */
#include "strata/read/progress_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define FIRST_NS 1000000000u
#define AGAIN_NS 200000000u

void progress_line_init(struct progress_line *line)
{
	pthread_mutex_init(&line->lock, NULL);
	line->is_wanted = isatty(STDERR_FILENO);
	line->is_shown = false;
	progress_line_restart(line);
}

void progress_line_restart(struct progress_line *line)
{
	line->began_ns = clock_now_ns(CLOCK_MONOTONIC);
	atomic_store_explicit(&line->next_ns, line->began_ns + FIRST_NS, memory_order_relaxed);
}

static void show(uint64_t spent_ns, uint64_t events, uint64_t bytes, uint64_t bytes_total)
{
	const double seconds = (double)spent_ns / 1e9;
	double left;

	fprintf(stderr, "\r%" PRIu64 " events, %.1f million a second", events,
		(double)events / seconds / 1e6);
	/* Bytes of damaged files may be read twice. */
	if (bytes > 0 && bytes < bytes_total) {
		left = seconds * (double)(bytes_total - bytes) / (double)bytes;
		fprintf(stderr, ", %.0f %%, %.0f:%02u left",
			100.0 * (double)bytes / (double)bytes_total, (double)(uint64_t)(left / 60),
			(unsigned int)((uint64_t)left % 60));
	}
	fprintf(stderr, "\033[K");
	fflush(stderr);
}

void progress_line_tell(void *data, uint64_t events, uint64_t bytes, uint64_t bytes_total)
{
	struct progress_line *line = data;
	uint64_t now;

	if (!line->is_wanted)
		return;
	now = clock_now_ns(CLOCK_MONOTONIC);
	if (now < atomic_load_explicit(&line->next_ns, memory_order_relaxed))
		return;
	/* If another thread is writing the line, this update is not needed. */
	if (pthread_mutex_trylock(&line->lock))
		return;
	show(now - line->began_ns, events, bytes, bytes_total);
	line->is_shown = true;
	atomic_store_explicit(&line->next_ns, now + AGAIN_NS, memory_order_relaxed);
	pthread_mutex_unlock(&line->lock);
}

void progress_line_hold(struct progress_line *line)
{
	pthread_mutex_lock(&line->lock);
	if (line->is_shown)
		fprintf(stderr, "\r\033[K");
	line->is_shown = false;
}

void progress_line_release(struct progress_line *line)
{
	pthread_mutex_unlock(&line->lock);
}

void progress_line_end(struct progress_line *line)
{
	progress_line_hold(line);
	progress_line_release(line);
}

void progress_line_clear(struct progress_line *line)
{
	progress_line_end(line);
	pthread_mutex_destroy(&line->lock);
}
