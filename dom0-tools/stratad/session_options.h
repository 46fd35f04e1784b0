/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_options.h - turns a channel of a session (<strata/control.h>) into the options of its
 * recorder, and into the words that change a running one (session_reselect()).
 */
#ifndef STRATA_STRATAD_SESSION_OPTIONS_H
#define STRATA_STRATAD_SESSION_OPTIONS_H

#include <strata/control.h>

#include "stratad/record_session.h"
#include "stratad/rule_texts.h"

struct session_options {
	struct record_options record; /* points into the rest */
	struct xen_selection xen;
	struct app_file_users file_users;
	struct rule_texts texts;
};

/*
 * Builds the options, and checks every rule as far as that is possible without the kernels and
 * applications that it is about.
 * @channel: of the session
 * @output: directory of the recording; outlives the options
 * 0, or -1 with the rule that is wrong; in both cases session_options_clear() frees.
 */
int session_options_build(struct session_options *options, const struct strata_session *session,
			  const struct strata_channel *channel, const char *output,
			  struct strata_error *error);

void session_options_clear(struct session_options *options);

/*
 * Writes the request that makes a running recorder of @channel record what its rules for one target
 * say now: "kernel=g1:sched_*,irq_*".
 * 0, or -1: that cannot be changed while it records.
 */
int session_options_reselect(const struct strata_session *session,
			     const struct strata_channel *channel, enum strata_domain domain,
			     const struct strata_rule *rule, char *request, size_t bytes,
			     struct strata_error *error);

#endif /* STRATA_STRATAD_SESSION_OPTIONS_H */
