// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * error.c - builds error texts from the cause outwards; texts that are too long are cut.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/complaints.h"

int strata_fail(struct strata_error *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return -1;
}

int strata_fail_in(struct strata_error *error, const char *format, ...)
{
	char cause[sizeof(error->text)];
	size_t length;
	va_list args;

	memcpy(cause, error->text, sizeof(cause));
	cause[sizeof(cause) - 1] = '\0';

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);

	length = strlen(error->text);
	snprintf(error->text + length, sizeof(error->text) - length, ": %s", cause);
	return -1;
}

void strata_complain(strata_complain_fn *complain, void *data, const char *about,
		     const char *format, va_list args)
{
	char message[2048];
	int length;

	if (!complain)
		return;
	length = snprintf(message, sizeof(message), "%s: ", about);
	if (length < 0 || length >= (int)sizeof(message))
		length = 0;
	vsnprintf(message + length, sizeof(message) - (size_t)length, format, args);
	if (!strata_complaints_keep(complain, data, message))
		complain(data, message);
}
