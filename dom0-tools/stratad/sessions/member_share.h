/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * member_share.h - what one session of a member of the group tracing may use of the machine
 * (docs/security.md has all shares): the rings of its channels, the contexts of its events, the
 * recorders that it takes, how often its triggers act, and the recordings that a start of it makes.
 *
 * Each function is about the sessions of members alone, whoever asks; root's have no shares.
 */
#ifndef STRATA_STRATAD_MEMBER_SHARE_H
#define STRATA_STRATAD_MEMBER_SHARE_H

#include <stdbool.h>

#include <strata/control.h>

#include "base/error.h"
#include "consumerd/shares/principal.h"
#include "stratad/record_session.h"

/* Channels that one session records, and triggers that count for it: each takes one of the
 * machine's recorders.  A member records one session at a time. */
#define MEMBER_CHANNELS_MAX 2u

/* Recordings that one start makes and keeps, of all its channels: a rotation removes older ones,
 * and a flight recorder saves no more final events of domains. */
#define MEMBER_KEEP 8u

/* Pages of guests that are mapped, those of all recorders included, beyond which no member's
 * recorder maps another one: the other half is root's. */
#define MEMBER_GUEST_PAGES (PRINCIPAL_GUEST_PAGES_MAX / 2u)

/* Whether the session is a member's.  Neither its channels nor its triggers see events of probes.
 */
bool member_share_is_limited(const struct strata_session *session);

/* Checks the rings of the session's channels, and how often its triggers look and act.  0 or -1. */
int member_share_check(const struct strata_session *session, struct strata_error *error);

/* Checks how many recorders a start of the session would take.  0 or -1. */
int member_share_check_number(const struct strata_session *session, struct strata_error *error);

/* Checks how many recorders the session takes with these channels and triggers.  0 or -1. */
int member_share_check_recorders(const struct strata_session *session, size_t nr_channels,
				 size_t nr_triggers, struct strata_error *error);

/* Checks a context's name.  0, or -1: it is unknown, or root's alone. */
int member_share_check_context(const char *name, struct strata_error *error);

/* Limits the recorder of one channel of the session. */
void member_share_limit(const struct strata_session *session, struct record_options *options);

#endif /* STRATA_STRATAD_MEMBER_SHARE_H */
