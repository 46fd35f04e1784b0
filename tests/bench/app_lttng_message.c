// SPDX-License-Identifier: GPL-2.0-or-later
/* app_lttng_message.c - the message of app.c in LTTng-UST; see app_turns.h. It has a file of its
 * own because its trace point is defined in the library, those of app_lttng.c in the program. */
#include "app_message.h"

#include <lttng/tracef.h>

void burst_message(uint64_t events)
{
	const char *name = "alice";
	uint64_t i;

	for (i = 0; i < events; i++)
		lttng_ust_tracef(MESSAGE, (int)i, name, (unsigned long)i);
}
