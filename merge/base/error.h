/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h - an error that travels up with its cause.
 *
 * The failing function says what it saw; each caller on the way up prepends what it was doing:
 * "guest g1: ring 3: bad packet size 70368". The command prints the whole text once, with a next
 * step.
 */
#ifndef STRATA_MERGE_ERROR_H
#define STRATA_MERGE_ERROR_H

#include <stdarg.h>

struct strata_error {
	char text[1024];
};

/* Sets the text (printf).  Returns -1, for `return strata_fail(error, ...)`. */
int strata_fail(struct strata_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prepends "@format: " to the current text. Returns -1. */
int strata_fail_in(struct strata_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Called for each non-fatal fault, with a message without newline: "raw/g1/cpu_0:
 * offset ...". */
typedef void strata_complain_fn(void *data, const char *message);

/* Calls @complain, if not NULL, with "@about: " and the text. */
void strata_complain(strata_complain_fn *complain, void *data, const char *about,
		     const char *format, va_list args) __attribute__((format(printf, 4, 0)));

#endif /* STRATA_MERGE_ERROR_H */
