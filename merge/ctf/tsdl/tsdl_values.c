// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_values.c - parses the right sides of TSDL's attributes, and converts them; see
 * tsdl_parser.h.
 */
#include "ctf/tsdl/tsdl_parser.h"

#include <string.h>

#include "base/escape.h"

#define PATH_WORDS_MAX (STRATA_CTF_DEPTH_MAX + 4)
#define PATH_TEXT_MAX  1024u

int strata_tsdl_parse_path(struct strata_tsdl_parser *parser, struct strata_tsdl_path *path)
{
	const char *words[PATH_WORDS_MAX];
	size_t nr = 0;

	path->at = parser->token.at;
	for (;;) {
		if (!strata_tsdl_is(parser, STRATA_TSDL_WORD))
			return strata_tsdl_expect(parser, STRATA_TSDL_WORD, "a name");
		if (nr == PATH_WORDS_MAX)
			return strata_tsdl_fail(parser->source, path->at,
						"this path has more than %u words", PATH_WORDS_MAX);
		words[nr++] = parser->token.text;
		if (strata_tsdl_next(parser))
			return -1;
		if (!strata_tsdl_is(parser, '.'))
			break;
		if (strata_tsdl_next(parser))
			return -1;
	}
	path->words = strata_tsdl_get(parser->source, nr, sizeof(*path->words));
	if (!path->words)
		return -1;
	memcpy(path->words, words, nr * sizeof(*words));
	path->nr_words = nr;
	return 0;
}

const char *strata_tsdl_path_text(struct strata_tsdl_source *source,
				  const struct strata_tsdl_path *path)
{
	char text[PATH_TEXT_MAX];
	size_t length = 0, i;

	if (path->nr_words == 1 && path->words[0])
		return path->words[0];
	for (i = 0; i < path->nr_words; i++) {
		const char *word = path->words[i] ? path->words[i] : "null";
		size_t bytes = strlen(word);

		if (bytes + 1 > sizeof(text) - length) {
			strata_tsdl_fail(source, path->at, "this path has more than %u bytes",
					 PATH_TEXT_MAX - 1);
			return NULL;
		}
		if (i)
			text[length++] = '.';
		memcpy(text + length, word, bytes);
		length += bytes;
	}
	return strata_tsdl_name(source, text, length);
}

int strata_tsdl_parse_value(struct strata_tsdl_parser *parser, struct strata_tsdl_value *value)
{
	*value = (struct strata_tsdl_value){ .at = parser->token.at };
	if (strata_tsdl_is(parser, STRATA_TSDL_STRING)) {
		value->kind = STRATA_TSDL_IS_STRING;
		value->text = parser->token.text;
		return strata_tsdl_next(parser);
	}
	if (strata_tsdl_is(parser, STRATA_TSDL_WORD)) {
		value->kind = STRATA_TSDL_IS_PATH;
		if (strata_tsdl_parse_path(parser, &value->path))
			return -1;
		value->text = strata_tsdl_path_text(parser->source, &value->path);
		return value->text ? 0 : -1;
	}

	value->kind = STRATA_TSDL_IS_NUMBER;
	while (strata_tsdl_is(parser, '-') || strata_tsdl_is(parser, '+')) {
		value->negative ^= strata_tsdl_is(parser, '-');
		if (strata_tsdl_next(parser))
			return -1;
	}
	value->number = parser->token.number;
	return strata_tsdl_expect(parser, STRATA_TSDL_NUMBER, "a value");
}

int strata_tsdl_to_u64(struct strata_tsdl_parser *parser, const char *name,
		       const struct strata_tsdl_value *value, uint64_t *number)
{
	if (value->kind != STRATA_TSDL_IS_NUMBER || (value->negative && value->number))
		return strata_tsdl_fail(parser->source, value->at,
					"%s must be a number that is not negative", name);
	*number = value->number;
	return 0;
}

int strata_tsdl_to_s64(struct strata_tsdl_parser *parser, const char *name,
		       const struct strata_tsdl_value *value, int64_t *number)
{
	const uint64_t limit = (uint64_t)INT64_MAX + (value->negative ? 1 : 0);

	if (value->kind != STRATA_TSDL_IS_NUMBER || value->number > limit)
		return strata_tsdl_fail(parser->source, value->at,
					"%s must be a number that fits into 64 bits with a sign",
					name);
	*number = (int64_t)(value->negative ? 0 - value->number : value->number);
	return 0;
}

int strata_tsdl_to_bool(struct strata_tsdl_parser *parser, const char *name,
			const struct strata_tsdl_value *value, bool *truth)
{
	if (value->kind == STRATA_TSDL_IS_NUMBER)
		*truth = value->number != 0;
	else if (strcmp(value->text, "true") == 0 || strcmp(value->text, "TRUE") == 0)
		*truth = true;
	else if (strcmp(value->text, "false") == 0 || strcmp(value->text, "FALSE") == 0)
		*truth = false;
	else
		return strata_tsdl_fail(parser->source, value->at, "%s must be true, false, 1 or 0",
					name);
	return 0;
}

int strata_tsdl_to_text(struct strata_tsdl_parser *parser, const char *name,
			const struct strata_tsdl_value *value, const char **text)
{
	if (value->kind == STRATA_TSDL_IS_NUMBER)
		return strata_tsdl_fail(parser->source, value->at, "%s must be a text, no number",
					name);
	*text = value->text;
	return 0;
}

int strata_tsdl_to_uuid(struct strata_tsdl_parser *parser, const struct strata_tsdl_value *value,
			uint8_t uuid[16])
{
	if (value->kind != STRATA_TSDL_IS_STRING || !strata_uuid_parse(uuid, value->text))
		return strata_tsdl_fail(parser->source, value->at,
					"uuid must be 8-4-4-4-12 hexadecimal digits in quotes");
	return 0;
}

int strata_tsdl_to_order(struct strata_tsdl_parser *parser, const struct strata_tsdl_value *value,
			 enum strata_tsdl_order *order)
{
	const char *text = value->kind == STRATA_TSDL_IS_NUMBER ? "" : value->text;

	if (strcmp(text, "native") == 0)
		*order = STRATA_TSDL_ORDER_OF_TRACE;
	else if (strcmp(text, "le") == 0)
		*order = STRATA_TSDL_LITTLE_ENDIAN;
	else if (strcmp(text, "be") == 0 || strcmp(text, "network") == 0)
		*order = STRATA_TSDL_BIG_ENDIAN;
	else
		return strata_tsdl_fail(parser->source, value->at,
					"byte_order must be le, be, network or native");
	return 0;
}

int strata_tsdl_to_align(struct strata_tsdl_parser *parser, const struct strata_tsdl_value *value,
			 uint32_t *align)
{
	uint64_t number = 0;

	if (strata_tsdl_to_u64(parser, "align", value, &number))
		return -1;
	if (!number || number & (number - 1) || number > STRATA_CTF_ALIGN_MAX)
		return strata_tsdl_fail(parser->source, value->at,
					"align is %llu, but must be a power of two of bits, up to "
					"%u",
					(unsigned long long)number, STRATA_CTF_ALIGN_MAX);
	*align = (uint32_t)number;
	return 0;
}
