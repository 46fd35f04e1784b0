// SPDX-License-Identifier: GPL-2.0-or-later
/* header_form.c - see header_form.h. */
#include "recording/header_form.h"

#include <strata/packet.h>

const char *strata_header_form_name(unsigned int form)
{
	static const char *const names[STRATA_NR_HEADER_FORMS] = { "full", "compact", "large" };

	return names[form];
}
