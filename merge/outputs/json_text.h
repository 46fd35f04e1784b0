/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_text.h - values of an event as JSON, for the outputs that are JSON.
 *
 * What comes out is valid JSON in valid UTF-8, whatever an event holds: bytes that are
 * no UTF-8 become U+FFFD.  Numbers that a double cannot hold exactly (beyond 2^53),
 * which most readers of JSON would round, are strings.  An enumeration's value is an
 * object of its label and its value.
 */
#ifndef STRATA_MERGE_OUTPUTS_JSON_TEXT_H
#define STRATA_MERGE_OUTPUTS_JSON_TEXT_H

#include "outputs/event_writer.h"

/* The most that @length bytes of text can become. */
#define STRATA_JSON_BYTES(length) ((length)*6u)

/* A string's inside, without quotes.  @out: room for STRATA_JSON_BYTES(@length). */
char *strata_json_put_text(char *out, const char *text, size_t length);

/* A number: as a string where it is large.  Room: STRATA_PUT_BYTES. */
char *strata_json_put_unsigned(char *out, uint64_t value);
char *strata_json_put_signed(char *out, int64_t value);

/* `,"NAME":"TEXT"`; @name: a plain word */
void strata_json_member(struct strata_buffer *buffer, const char *name, const char *text);

/* `"discarded":3,"reasons":{...},"missing_packets":0`; @out: room for STRATA_JSON_LOSS_BYTES */
#define STRATA_JSON_LOSS_BYTES 512u
char *strata_json_put_loss(char *out, const struct strata_loss *loss);

/*
 * All fields of an event that are not its payload as `,"packet":{...},"stream_context":{...},
 * "context":{...}`, where there are any, and then `,"fields":{...}`.
 */
void strata_json_scopes(struct strata_buffer *buffer, const struct strata_shown_event *event);

#endif /* STRATA_MERGE_OUTPUTS_JSON_TEXT_H */
