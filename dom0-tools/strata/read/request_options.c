// SPDX-License-Identifier: GPL-2.0-or-later
/* request_options.c - see request_options.h. */
#include "strata/read/request_options.h"

#include <string.h>

int request_options_read(struct request_options *options, char *text)
{
	struct strata_request_form *form;

	if (options->nr == REQUEST_OPTIONS_MAX)
		return -1;
	form = &options->forms[options->nr++];
	form->begin = strsep(&text, ",");
	form->end = strsep(&text, ",");
	form->key = strsep(&text, ",");
	return form->begin && *form->begin && form->end && *form->end && !text &&
			       strcmp(form->begin, form->end) != 0 && (!form->key || *form->key)
		       ? 0
		       : -1;
}
