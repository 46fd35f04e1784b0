/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * member_admit.h - what a member of the group tracing may ask root's stratad for: events of Xen and
 * kernels, in a session of his own, and triggers that count such events.
 *
 * Each request of a member passes here first, except for lists (member_list.h).  Afterwards it
 * names a session of his, and nothing in it came from him unchecked.  Refused: probes and
 * functions, which can read all memory; call stacks and counters; applications, which his own
 * stratad records; output directories, timers and automatic rotation, which would use more of the
 * machine than his share (docs/security.md).  He rotates and clears within it (member_run.h).
 */
#ifndef STRATA_STRATAD_MEMBER_ADMIT_H
#define STRATA_STRATAD_MEMBER_ADMIT_H

#include <json-c/json.h>
#include <sys/types.h>

#include "base/error.h"

/* Checks a request, and replaces the session's name in it by its whole name.  0, or -1: refused. */
int member_admit(uid_t member, const char *verb, struct json_object *request,
		 struct strata_error *error);

#endif /* STRATA_STRATAD_MEMBER_ADMIT_H */
