/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h - an error that travels up with its cause.
 *
 * The function that fails says what it saw; each caller on the way up puts in
 * front what it was doing: "guest g1: ring 3: bad packet size 70368".  The
 * command prints the whole, once, with a next step.
 */
#ifndef STRATA_MERGE_ERROR_H
#define STRATA_MERGE_ERROR_H

#include <stdarg.h>

struct strata_error {
	char text[1024];
};

/* Sets the text (printf); returns -1, so that `return strata_fail(err, ...)` reads well. */
int strata_fail(struct strata_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Puts "@format: " in front of the text that is there; returns -1. */
int strata_fail_in(struct strata_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Told of each thing that is wrong but not the end, as a message without newline:
 * "raw/g1/cpu_0: offset ...". */
typedef void strata_complain_fn(void *data, const char *message);

/* Tells @complain "@about: " and the text; nothing if it is NULL. */
void strata_complain(strata_complain_fn *complain, void *data, const char *about,
		     const char *format, va_list args) __attribute__((format(printf, 4, 0)));

#endif /* STRATA_MERGE_ERROR_H */
