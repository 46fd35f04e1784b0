/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_object.h - sessions that a caller made or changed. */
#ifndef STRATA_CONTROL_LIBRARY_SESSION_OBJECT_H
#define STRATA_CONTROL_LIBRARY_SESSION_OBJECT_H

#include <strata/control.h>

#include "base/error.h"

/*
 * These check that members are of their enumerations, and that texts end; stratad checks the rest.
 * 0 or -1.
 */
int session_object_check_rule(enum strata_domain domain, const struct strata_rule *rule,
			      struct strata_error *error);
int session_object_check_channel(enum strata_domain domain,
				 const struct strata_domain_channel *channel,
				 struct strata_error *error);
int session_object_check_trigger(const struct strata_trigger *trigger, struct strata_error *error);
int session_object_check(const struct strata_session *session, struct strata_error *error);

#endif /* STRATA_CONTROL_LIBRARY_SESSION_OBJECT_H */
