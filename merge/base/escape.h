/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escape.h - escapes text of unknown origin before it is shown or written: names and strings come
 * from guests, and could contain control sequences of a terminal or a file format.
 */
#ifndef STRATA_MERGE_ESCAPE_H
#define STRATA_MERGE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRATA_UUID_TEXT_BYTES 37u

/* Largest size of escaped text of @bytes, without a zero byte. */
#define STRATA_ESCAPED_BYTES(bytes) ((bytes)*4u)

/*
 * Writes up to @bytes of @text, or up to its first zero byte, with every byte
 * but printable ASCII as \xHH, a quote as \" and a backslash as \\.  No zero
 * byte is added.
 * @out: room for STRATA_ESCAPED_BYTES(@bytes)
 * Returns where the text ends.
 */
char *strata_escape(char *out, const char *text, size_t bytes);

/* The same, as a zero-terminated string of at most @size bytes; cut where it does not fit. */
const char *strata_escape_name(char *out, size_t size, const char *text);

/* Whether a text is already escaped as by strata_escape(): it may be shown as it is. */
bool strata_is_escaped(const char *text);

/* Length of the UTF-8 character at the start of @text, which has @bytes (1 or more); 0: invalid.
 * @code: OUT */
size_t strata_utf8_read(const char *text, size_t bytes, uint32_t *code);

/* Whether a terminal or viewer interprets this character beyond ASCII: C1 controls, line
 * separators, and changes of text direction.  None is above U+FFFF. */
bool strata_is_unsafe(uint32_t code);

/* Writes \uXXXX for a character up to U+FFFF.  @out: room for 6 bytes.  Returns where it ends. */
char *strata_put_unicode(char *out, uint32_t code);

/* Copies JSON so that a terminal can show it: writes unsafe characters, which only its strings can
 * contain, as \uXXXX, and '?' for bytes that are not valid UTF-8. The caller frees the copy.
 * NULL: out of memory. */
char *strata_safe_json(const char *text);

/* Copies a string; '?' replaces bytes that are not valid UTF-8, and unsafe characters. */
void strata_valid_utf8_copy(char *out, size_t size, const char *text);

/* 8-4-4-4-12 hexadecimal digits. */
void strata_uuid_text(char text[STRATA_UUID_TEXT_BYTES], const uint8_t uuid[16]);
bool strata_uuid_parse(uint8_t uuid[16], const char *text);

#endif /* STRATA_MERGE_ESCAPE_H */
