/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state_options.h - the command lines of verbs that answer from the state of hosts: the options
 * that they share, and the loop that reads them. */
#ifndef STRATA_STRATA_STATE_OPTIONS_H
#define STRATA_STRATA_STATE_OPTIONS_H

#include "strata/read/state_pass.h"
#include "strata/read/traces_options.h"

struct state_options {
	const char *tcp_map;
	struct write_options times; /* --from and --to */
	struct state_requests requests;
};

/* What they have in place of a letter; those of verbs are from STATE_OPTION_OWN on. */
enum {
	STATE_OPTION_REQUEST = 256,
	STATE_OPTION_FROM,
	STATE_OPTION_TO,
	STATE_OPTION_TCP,
	STATE_OPTION_OWN,
};

/* The end of a verb's table. */
#define STATE_OPTIONS                                                     \
	{ "request", required_argument, NULL, STATE_OPTION_REQUEST },     \
		{ "from", required_argument, NULL, STATE_OPTION_FROM },   \
		{ "to", required_argument, NULL, STATE_OPTION_TO },       \
		{ "tcp-map", required_argument, NULL, STATE_OPTION_TCP }, \
		{ "help", no_argument, NULL, 'h' },                       \
	{                                                                 \
		NULL, 0, NULL, 0                                          \
	}

struct state_verb {
	const char *name;
	void (*usage)(FILE *out);
	const struct option *options; /* its own, then STATE_OPTIONS */
	/* Takes one of its own; also STATE_OPTION_REQUEST, where it means something else to it.
	 * @value: NULL, or the argument's, which may be cut up
	 * STRATA_STATUS_OK; the exit status, after a message; -1: it has no such option. */
	int (*take)(void *data, int option, char *value);
	void *data;
	bool takes_requests; /* STATE_OPTION_REQUEST is its own */
};

/*
 * Reads the options; what is left begins at argv[optind].
 * STRATA_STATUS_OK; else the exit status: what is wrong was said; -1: help was asked for and given.
 */
int state_options_read(const struct state_verb *verb, struct state_options *options, int argc,
		       char **argv);

#endif /* STRATA_STRATA_STATE_OPTIONS_H */
