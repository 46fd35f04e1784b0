/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escape.h - text of unknown origin, made fit to be shown or written: names and
 * strings come from guests, and a terminal or a file format would obey them.
 */
#ifndef STRATA_MERGE_ESCAPE_H
#define STRATA_MERGE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRATA_UUID_TEXT_BYTES 37u

/* Bytes that escaped text of @bytes can take, without its end. */
#define STRATA_ESCAPED_BYTES(bytes) ((bytes)*4u)

/*
 * Writes up to @bytes of @text, or up to its first zero byte, with every byte
 * but printable ASCII as \xHH, a quote as \" and a backslash as \\.  No zero
 * byte is added.
 * @out: room for STRATA_ESCAPED_BYTES(@bytes)
 * Returns where the text ends.
 */
char *strata_escape(char *out, const char *text, size_t bytes);

/* The same, into a string of @size with its end; cut where it does not fit. */
const char *strata_escape_name(char *out, size_t size, const char *text);

/* Whether a text is one that strata_escape() writes: it may be shown as it is. */
bool strata_is_escaped(const char *text);

/* Bytes of the UTF-8 character that @text, of @bytes (1 or more), begins with; 0: it is not one.
 * @code: OUT */
size_t strata_utf8_read(const char *text, size_t bytes, uint32_t *code);

/* Characters beyond ASCII that a terminal or a viewer obeys: C1 controls, line separators, and
 * those that turn the direction of text around.  None is above U+FFFF. */
bool strata_is_unsafe(uint32_t code);

/* Writes \uXXXX for a character up to U+FFFF.  @out: room for 6 bytes.  Returns where it ends. */
char *strata_put_unicode(char *out, uint32_t code);

/* Copies a string, with '?' for every byte that is not part of valid UTF-8, and for each unsafe
 * character. */
void strata_valid_utf8_copy(char *out, size_t size, const char *text);

/* 8-4-4-4-12 hexadecimal digits. */
void strata_uuid_text(char text[STRATA_UUID_TEXT_BYTES], const uint8_t uuid[16]);
bool strata_uuid_parse(uint8_t uuid[16], const char *text);

#endif /* STRATA_MERGE_ESCAPE_H */
