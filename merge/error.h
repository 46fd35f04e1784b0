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

struct strata_error {
	char text[1024];
};

/* Sets the text (printf); returns -1, so that `return strata_fail(err, ...)` reads well. */
int strata_fail(struct strata_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Puts "@format: " in front of the text that is there; returns -1. */
int strata_fail_in(struct strata_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* STRATA_MERGE_ERROR_H */
