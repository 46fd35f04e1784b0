/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_model.h - operations on the structures of <strata/control.h>.
 *
 * They check limits and forms; whether an event or a domain exists is checked by stratad, which can
 * look.  No function prints; each returns 0, or -1 with reason and next step in @error.
 */
#ifndef STRATA_CONTROL_SESSION_MODEL_H
#define STRATA_CONTROL_SESSION_MODEL_H

#include <stdbool.h>

#include <strata/control.h>
#include <strata/ring_state.h>

#include "base/error.h"

/* Rings, period and budget of a recording for which nothing else is asked. */
#define SESSION_SUBBUF_BITS 16 /* 64 KiB ... */
#define SESSION_NR_BITS     5  /* ... 32 times: 2 MiB a CPU */
#define SESSION_SWITCH_MS   1000
/* A recording of a series has at least this size, or this duration. */
#define SESSION_ROTATION_BYTES 65536u
#define SESSION_ROTATION_MS    1000u

#define SESSION_BUDGET_PER_S 500000u /* two windows of it fit into such a buffer */

/* Makes a session with the default channel, and without rules.  @output: copied; NULL: set later */
int session_model_init(struct strata_session *session, const char *name, const char *output,
		       struct strata_error *error);

/* Frees what a session owns. */
void session_model_clear(struct strata_session *session);

/* Copies a session; @to is not cleared before. */
int session_model_copy(struct strata_session *to, const struct strata_session *from,
		       struct strata_error *error);

/* Frees the rules of a channel that is in no session. */
void session_model_clear_channel(struct strata_channel *channel);

/* Gives the copy of a channel rules of its own.  Whether there was memory for them; what there was
 * none for, it does not have. */
bool session_model_copy_rules(struct strata_channel *channel);

/* In the name of a session that a member of the group tracing owns, before his number: "web@1000".
 */
#define SESSION_OWNER_MARK '@'

/* Checks the name of a session, of a channel or of a trigger, from a user or a file. */
int session_model_check_name(const char *name, struct strata_error *error);
int session_model_check_trigger_name(const char *name, struct strata_error *error);
int session_model_check_channel_name(const char *name, struct strata_error *error);

/* Finds a channel.  @name: NULL: the default one.  NULL: it does not exist. */
struct strata_channel *session_model_channel(struct strata_session *session, const char *name);

/* Adds a channel without rules, with the default rings; one that exists stays as it is.  NULL: with
 * the reason. */
struct strata_channel *session_model_add_channel(struct strata_session *session, const char *name,
						 struct strata_error *error);

/* Checks the size of rings: powers of two within the core's limits. */
int session_model_check_rings(uint32_t subbuf_bytes, uint32_t nr_subbufs,
			      struct strata_error *error);

/* Checks a period of the forced switch. */
int session_model_check_switch(uint32_t ms, struct strata_error *error);

/* Checks when to rotate. */
int session_model_check_rotation(const struct strata_rotation *rotation,
				 struct strata_error *error);

/* The size of a channel's rings, which was checked, as the core has it. */
struct strata_ring_geometry session_model_geometry(const struct strata_domain_channel *channel);

/* Adds a rule to a channel of the session, unless the channel has it.  A filter replaces that of
 * the same events. */
int session_model_add_rule(struct strata_session *session, struct strata_channel *channel,
			   enum strata_domain domain, const struct strata_rule *rule,
			   struct strata_error *error);

/* Adds a rule to those of a channel in a domain, unless the channel has it.  @has_room: for another
 * one.  1: there is no room, and it is not added. */
int session_model_put_rule(struct strata_domain_channel *in, enum strata_domain domain,
			   const struct strata_rule *rule, bool has_room,
			   struct strata_error *error);

/* Removes a rule of exactly this kind, target and text from a channel of the session. */
int session_model_remove_rule(struct strata_session *session, struct strata_channel *channel,
			      enum strata_domain domain, const struct strata_rule *rule,
			      struct strata_error *error);

/* Whether a channel traces in this domain: it has a rule that names events; rules about what runs
 * do not count. */
bool session_model_traces(const struct strata_channel *channel, enum strata_domain domain);

/* Whether a start of the session records the channel: it traces, and is not disabled. */
bool session_model_records(const struct strata_channel *channel);

/* How many channels a start of the session records. */
size_t session_model_count_recorded(const struct strata_session *session);

/* Names of the enumerations in text: "xen"; "event"; "full"; "single-store". */
const char *session_model_domain_name(enum strata_domain domain);
const char *session_model_rule_name(enum strata_rule_kind kind);

/* Whether a rule of this kind is an option of its own; others of one kind and target make a list
 * together, with commas. */
bool session_model_is_alone(enum strata_rule_kind kind);

/* The kinds of rules of a domain. */
bool session_model_allows(enum strata_domain domain, enum strata_rule_kind kind);

#endif /* STRATA_CONTROL_SESSION_MODEL_H */
