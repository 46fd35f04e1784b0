/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregate_options.h - options about what is counted, which `strata top`, `trigger` and `record
 * --aggregate` share.
 */
#ifndef STRATA_STRATA_AGGREGATE_OPTIONS_H
#define STRATA_STRATA_AGGREGATE_OPTIONS_H

#include "stratad/aggregate_run.h"

/* Of getopt_long(), in every verb that has these options. */
#define AGGREGATE_OPTIONS                                          \
	{ "interval", required_argument, NULL, 'i' },              \
		{ "duration", required_argument, NULL, 'd' },      \
		{ "xen", required_argument, NULL, 'x' },           \
		{ "xen-domain", required_argument, NULL, 'D' },    \
		{ "kernel", required_argument, NULL, 'k' },        \
		{ "kernel-filter", required_argument, NULL, 'f' }, \
		{ "app", required_argument, NULL, 'a' },           \
	{                                                          \
		"rows", required_argument, NULL, 'r'               \
	}

/* Allocates as many selections as @argc options can be.  0 or -1: out of memory. */
int aggregate_options_begin(struct aggregate_options *options, struct aggregate_words *words,
			    int argc);

/* Takes one of these.  0, or -1 with the reason. */
int aggregate_option(struct aggregate_options *options, struct aggregate_words *words, int option,
		     char *argument, struct strata_error *error);

void aggregate_options_end(struct aggregate_options *options, struct aggregate_words *words);

#endif /* STRATA_STRATA_AGGREGATE_OPTIONS_H */
