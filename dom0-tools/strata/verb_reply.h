/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verb_reply.h - the reply of a verb that asks no stratad, for --json: one object on stdout, whose
 * `status` and `message` are as in a reply of stratad (docs/formats.md).
 */
#ifndef STRATA_STRATA_VERB_REPLY_H
#define STRATA_STRATA_VERB_REPLY_H

#include <json-c/json.h>
#include <stdbool.h>

#include "base/error.h"
#include "ctf/reader/ctf_reader.h"

/*
 * Makes a reply, to which the caller adds its figures.
 * @status: the exit status of the verb
 * @message: what a person reads without --json; NULL: absent
 */
struct json_object *verb_reply_new(int status, const char *message);

/*
 * Makes the reply of a verb that reads traces and writes @output: with the output and the tally of
 * what was read, or with the reason of its failure as the message.
 * @error: NULL: it has not failed
 */
struct json_object *verb_reply_of_traces(int status, const char *verb, const char *output,
					 const struct strata_ctf_tally *tally,
					 const struct strata_error *error);

/* Prints a reply on stdout, and frees it.  Returns its status. */
int verb_reply_print(struct json_object *reply);

/*
 * Ends a verb that has nothing to add to its message: prints a reply, or without @json
 * "strata: MESSAGE" on stderr.  Returns @status.
 */
int verb_reply_end(bool json, int status, const char *message);

#endif /* STRATA_STRATA_VERB_REPLY_H */
