/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress_line.h - shows the progress of a long job on one line of the terminal: how much is done,
 * how fast, and the time left.
 *
 * The line appears after a second, if standard error is a terminal, and is erased at the end. Any
 * thread may update it; a thread that prints something else must hold the line meanwhile.
 */
#ifndef STRATA_STRATA_PROGRESS_LINE_H
#define STRATA_STRATA_PROGRESS_LINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct progress_line {
	pthread_mutex_t lock;
	bool is_wanted;
	bool is_shown;
	uint64_t began_ns;
	_Atomic uint64_t next_ns; /* no update before this time */
};

/* To be called at the start of the job. */
void progress_line_init(struct progress_line *line);

/* To be called at the start of a further pass, of the same size. */
void progress_line_restart(struct progress_line *line);

/* Updates the line; a callback like that of struct strata_progress: @data is the line. */
void progress_line_tell(void *data, uint64_t events, uint64_t bytes, uint64_t bytes_total);

/* Erases the line, and prevents updates until it is released. */
void progress_line_hold(struct progress_line *line);
void progress_line_release(struct progress_line *line);

/* Erases the line. */
void progress_line_end(struct progress_line *line);

/* Frees its resources. */
void progress_line_clear(struct progress_line *line);

#endif /* STRATA_STRATA_PROGRESS_LINE_H */
