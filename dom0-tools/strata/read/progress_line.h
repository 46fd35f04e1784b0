/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress_line.h - how far a long job is, on one line of a terminal that is rewritten in
 * place: how much, how fast, how long it will take.
 *
 * It comes after a second, if standard error is a terminal, and goes without a trace.  Any thread
 * may tell; who has something else to say holds the line meanwhile.
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
	_Atomic uint64_t next_ns; /* it is not rewritten before */
};

/* The job begins now. */
void progress_line_init(struct progress_line *line);

/* A next one, which is as large, begins now. */
void progress_line_restart(struct progress_line *line);

/* So much is done: as struct strata_progress and others tell it, @data is the line. */
void progress_line_tell(void *data, uint64_t events, uint64_t bytes, uint64_t bytes_total);

/* Takes the line away, and keeps it away until it is let go. */
void progress_line_hold(struct progress_line *line);
void progress_line_release(struct progress_line *line);

/* Takes it away. */
void progress_line_end(struct progress_line *line);

/* Frees what belongs to it. */
void progress_line_clear(struct progress_line *line);

#endif /* STRATA_STRATA_PROGRESS_LINE_H */
