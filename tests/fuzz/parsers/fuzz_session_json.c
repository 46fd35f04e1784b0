// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_session_json.c - any bytes as the text form of a session: they are refused, or the session
 * is the same after it was written and read again.
 *
 * libFuzzer calls it; see parsers.mk.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/session_json.h"
#include "control/session_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr);

static char *text_of(const struct strata_session *session)
{
	struct json_object *object = session_json_make(session);
	char *text = strdup(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));

	json_object_put(object);
	return text;
}

static bool read_text(const char *text, size_t length, struct strata_session *session)
{
	struct strata_error error;
	struct json_object *object = session_json_parse(text, length, &error);
	bool is_good = object && !session_json_read(object, session, &error);

	json_object_put(object);
	return is_good;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr)
{
	struct strata_session session, again;
	char *one, *other;

	if (!read_text((const char *)bytes, nr, &session))
		return 0;
	one = text_of(&session);
	if (!read_text(one, strlen(one), &again)) {
		fprintf(stderr, "what was written cannot be read: %s\n", one);
		abort();
	}
	other = text_of(&again);
	if (strcmp(one, other)) {
		fprintf(stderr, "%s is read as %s\n", one, other);
		abort();
	}
	free(one);
	free(other);
	session_model_clear(&session);
	session_model_clear(&again);
	return 0;
}
