// SPDX-License-Identifier: GPL-2.0-or-later
/* session_owner.c - see session_owner.h. */
#include "stratad/sessions/session_owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/session_model.h"

uid_t session_owner(const char *name)
{
	const char *mark = strchr(name, SESSION_OWNER_MARK);

	return mark ? (uid_t)strtoul(mark + 1, NULL, 10) : SESSION_OWNER_SELF;
}

void session_owner_suffix(char suffix[SESSION_OWNER_BYTES], uid_t owner)
{
	suffix[0] = '\0';
	if (owner != SESSION_OWNER_SELF)
		snprintf(suffix, SESSION_OWNER_BYTES, "%c%u", SESSION_OWNER_MARK, owner);
}
