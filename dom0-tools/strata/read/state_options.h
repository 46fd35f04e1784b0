/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state_options.h - the options shared by the verbs that use the state of hosts, and the loop that
 * reads them. */
#ifndef STRATA_STRATA_STATE_OPTIONS_H
#define STRATA_STRATA_STATE_OPTIONS_H

#include "strata/read/state_pass.h"
#include "strata/read/traces_options.h"

struct state_options {
	const char *tcp_map;
	struct write_options times; /* --from and --to */
	struct state_requests requests;
};

/* Values of long options without a letter; those of verbs start at STATE_OPTION_OWN. */
enum {
	STATE_OPTION_REQUEST = 256,
	STATE_OPTION_FROM,
	STATE_OPTION_TO,
	STATE_OPTION_TCP,
	STATE_OPTION_OWN,
};

/* The end of each verb's table. */
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
	/* Takes one of the verb's own options; also STATE_OPTION_REQUEST, if takes_requests.
	 * @value: NULL, or the argument, which may be modified
	 * Returns STRATA_STATUS_OK; the exit status, after a message; -1: the verb has no such
	 * option. */
	int (*take)(void *data, int option, char *value);
	void *data;
	bool takes_requests; /* the verb takes STATE_OPTION_REQUEST itself */
};

/*
 * Reads the options; the other arguments begin at argv[optind].
 * Returns STRATA_STATUS_OK; else the exit status, after a message; -1: help was printed.
 */
int state_options_read(const struct state_verb *verb, struct state_options *options, int argc,
		       char **argv);

#endif /* STRATA_STRATA_STATE_OPTIONS_H */
