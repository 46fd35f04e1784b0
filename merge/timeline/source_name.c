// SPDX-License-Identifier: GPL-2.0-or-later
/* source_name.c - see source_name.h. */
#include "timeline/source_name.h"

#include <string.h>

const char *strata_source_name(const struct strata_ctf_trace *trace)
{
	const char *host = strata_ctf_env_text(trace, "hostname");
	const char *slash = strrchr(trace->path, '/');

	if (trace->recording && slash)
		return slash + 1;
	return host && *host ? host : NULL;
}
