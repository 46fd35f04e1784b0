/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_json.h - the text form of a session (docs/formats.md): in saved files, in stratad's own
 * files, and in messages.
 */
#ifndef STRATA_CONTROL_SESSION_JSON_H
#define STRATA_CONTROL_SESSION_JSON_H

#include <json-c/json.h>

#include <strata/control.h>

#include "base/error.h"

/* The version of the text form; of the earlier one, whose sessions had one channel, texts are read.
 */
#define SESSION_JSON_VERSION         2
#define SESSION_JSON_VERSION_EARLIER 1

/* Makes the object of a session, for json_object_put().  NULL: out of memory. */
struct json_object *session_json_make(const struct strata_session *session);

/*
 * Reads a session from an object, which may be hostile.  Members that are absent have their
 * defaults; unknown ones are errors.
 * @session: OUT, for session_model_clear()
 * 0 or -1.
 */
int session_json_read(struct json_object *object, struct strata_session *session,
		      struct strata_error *error);

/* The object of a rule, and a rule from an object. */
struct json_object *session_json_make_rule(const struct strata_rule *rule);
int session_json_read_rule(struct json_object *object, struct strata_rule *rule,
			   struct strata_error *error);

/* The object of a channel in a domain, with its attributes and rules. */
struct json_object *session_json_make_channel(const struct strata_domain_channel *channel,
					      enum strata_domain domain);

/* Changes the attributes of a channel in a domain that an object names; not its rules. */
int session_json_read_channel(struct json_object *object, enum strata_domain domain,
			      struct strata_domain_channel *channel, struct strata_error *error);

/* Finds a domain by its name.  0 or -1. */
int session_json_domain(struct json_object *object, const char *key, enum strata_domain *domain,
			struct strata_error *error);

/* Parses one JSON text of at most STRATA_SESSION_TEXT_BYTES.  NULL with the reason. */
struct json_object *session_json_parse(const char *text, size_t length, struct strata_error *error);

/* A rotation: {"bytes": ..., "ms": ..., "keep": ...}; what is missing is 0.  0 or -1. */
struct json_object *session_json_make_rotation(const struct strata_rotation *rotation);
int session_json_read_rotation(struct json_object *object, struct strata_rotation *rotation,
			       struct strata_error *error);

#endif /* STRATA_CONTROL_SESSION_JSON_H */
