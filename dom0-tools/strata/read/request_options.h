/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request_options.h - the option --request of the verbs that follow requests. */
#ifndef STRATA_STRATA_REQUEST_OPTIONS_H
#define STRATA_STRATA_REQUEST_OPTIONS_H

#include "state/meaning.h"

#define REQUEST_OPTIONS_MAX 32u

struct request_options {
	struct strata_request_form forms[REQUEST_OPTIONS_MAX];
	size_t nr;
};

/* Reads "BEGIN,END[,KEY]", which is cut up, and stays.  0; -1: it is none, or there are too many.
 */
int request_options_read(struct request_options *options, char *text);

#endif /* STRATA_STRATA_REQUEST_OPTIONS_H */
