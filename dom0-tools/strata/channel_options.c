// SPDX-License-Identifier: GPL-2.0-or-later
/* channel_options.c - see channel_options.h. */
#include "strata/channel_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <strata/control.h>

#include "base/exit_status.h"
#include "control/session_model.h"
#include "recording/header_form.h"

/* 0 or -1. */
static int parse_rings(const char *text, struct strata_ring_geometry *geometry,
		       struct strata_error *error)
{
	unsigned long bytes, number = 1ul << geometry->nr_subbufs_bits;
	struct strata_domain_channel channel;
	char *end;

	bytes = strtoul(text, &end, 10);
	if (*end == 'K' || *end == 'k')
		bytes <<= 10, end++;
	else if (*end == 'M' || *end == 'm')
		bytes <<= 20, end++;
	if (*end == 'x')
		number = strtoul(end + 1, &end, 10);
	if (*end || end == text)
		return strata_fail(error, "not a size");
	if (!bytes || !number)
		return strata_fail(error, "it is empty");
	if (bytes > UINT32_MAX || number > UINT32_MAX)
		return strata_fail(error, "too large");
	channel.subbuf_bytes = (uint32_t)bytes;
	channel.nr_subbufs = (uint32_t)number;
	if (session_model_check_rings(channel.subbuf_bytes, channel.nr_subbufs, error))
		return -1;
	*geometry = session_model_geometry(&channel);
	return 0;
}

int channel_option_rings(const char *option, const char *argument,
			 struct strata_ring_geometry *geometry)
{
	struct strata_error error;

	if (!parse_rings(argument, geometry, &error))
		return STRATA_STATUS_OK;
	fprintf(stderr,
		"strata: %s: \"%s\" is not SIZExN with powers of two, 4K to 4M, 2 to 256: %s\n",
		option, argument, error.text);
	return STRATA_STATUS_USAGE;
}

int channel_option_header(const char *argument, enum strata_header_form *form)
{
	unsigned int i;

	for (i = 0; i < STRATA_NR_HEADER_FORMS; i++) {
		*form = (enum strata_header_form)i;
		if (!strcmp(argument, strata_header_form_name(i)))
			return STRATA_STATUS_OK;
	}
	fprintf(stderr, "strata: --event-header: unknown form \"%s\"; use full, compact or large\n",
		argument);
	return STRATA_STATUS_USAGE;
}

int channel_option_kind(const char *option, const char *argument, enum strata_app_mode *mode)
{
	if (!strcmp(argument, "single-store")) {
		*mode = STRATA_APP_SINGLE_STORE;
	} else if (!strcmp(argument, "reserve-commit")) {
		*mode = STRATA_APP_RESERVE_COMMIT;
	} else {
		fprintf(stderr,
			"strata: %s: unknown kind \"%s\"; use single-store or reserve-commit\n",
			option, argument);
		return STRATA_STATUS_USAGE;
	}
	return STRATA_STATUS_OK;
}

int channel_option_switch(const char *argument, uint32_t *ms)
{
	struct strata_error error = { "" };
	unsigned long value;

	errno = 0;
	value = strtoul(argument, NULL, 10);
	if (!argument[0] || argument[strspn(argument, "0123456789")] || errno || value > UINT32_MAX)
		value = UINT32_MAX;
	if (!session_model_check_switch((uint32_t)value, &error)) {
		*ms = (uint32_t)value;
		return STRATA_STATUS_OK;
	}
	fprintf(stderr, "strata: --switch-timer: \"%s\" is %s\n", argument, error.text);
	return STRATA_STATUS_USAGE;
}
