/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_text.h - values of an event as JSON, for the outputs that are JSON.
 *
 * The output is valid JSON in valid UTF-8, whatever an event contains: invalid UTF-8 becomes
 * U+FFFD, and control characters are written as \uXXXX. The JSON type of a field follows from its
 * type, not from its value:
 *
 *     integers of up to 53 bits     a number
 *     wider ones                    a string: most readers would round them
 *     integers whose values have names that the trace does not give (event_names.h): as above,
 *                                   and the name, a string, as another member FIELD_name where the
 *                                   value has one; of an array it is that of its first element
 *     floating point                a number with a point or an exponent; 1e999 and -1e999 are
 *                                   the infinities; null is not a number
 *     enumerations                  an object of label (a string or null) and value (as integers)
 *     text                          a string
 *     arrays, structures            an array, an object
 */
#ifndef STRATA_MERGE_OUTPUTS_JSON_TEXT_H
#define STRATA_MERGE_OUTPUTS_JSON_TEXT_H

#include "outputs/event_writer.h"

/* Largest size of @length bytes of text when escaped. */
#define STRATA_JSON_BYTES(length) ((length)*6u)

/* Writes the contents of a string, without quotes. @out: room for STRATA_JSON_BYTES(@length). */
char *strata_json_put_text(char *out, const char *text, size_t length);

/* Appends `,"NAME":"TEXT"`; @name needs no escaping */
void strata_json_member(struct strata_buffer *buffer, const char *name, const char *text);

/* `"discarded":3,"reasons":{...},"missing_packets":0`; @out: room for STRATA_JSON_LOSS_BYTES */
#define STRATA_JSON_LOSS_BYTES 512u
char *strata_json_put_loss(char *out, const struct strata_loss *loss);

/*
 * Writes a field's value of any type as JSON; names of numbers are left out.
 * @cursor: at the field
 * Returns false if it exceeds the event; the output is then not valid JSON.
 */
bool strata_json_value(struct strata_buffer *buffer, const struct strata_ctf_type *type,
		       struct strata_ctf_cursor cursor);

/* One of an event's scopes. */
enum strata_json_scope {
	STRATA_JSON_PACKET,
	STRATA_JSON_STREAM_CONTEXT,
	STRATA_JSON_CONTEXT,
	STRATA_JSON_FIELDS,
};

/* Writes the fields of a scope as an object. False: the event does not have the scope, or ends
 * before it. */
bool strata_json_scope(struct strata_buffer *buffer, const struct strata_shown_event *event,
		       enum strata_json_scope scope);

/* `,"message":"..."` of an event that has one. */
void strata_json_message(struct strata_buffer *buffer, const struct strata_shown_event *event);

/*
 * All fields of an event that are not its payload as `,"packet":{...},"stream_context":{...},
 * "context":{...}`, where there are any, and then `,"fields":{...}`.
 */
void strata_json_scopes(struct strata_buffer *buffer, const struct strata_shown_event *event);

#endif /* STRATA_MERGE_OUTPUTS_JSON_TEXT_H */
