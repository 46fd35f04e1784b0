// SPDX-License-Identifier: GPL-2.0-or-later
/* source_name.c - see source_name.h. */
#include "consumerd/source_name.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "consumerd/rings/ring_file.h"
#include "xen/domain_numbers.h"

#define TURNS_TRIED 16u

/* The longest suffix: two numbers of ten digits. */
#define SUFFIX_BYTES 24

/* On some file systems names that differ only in case are the same. */
static bool is_taken(const struct strata_recording *recording, const char *name)
{
	size_t i;

	for (i = 0; i < recording->nr_sources; i++)
		if (!strcasecmp(recording->sources[i].name, name))
			return true;
	return false;
}

/* A guest may not take the names of directories that every recording has. */
static bool is_reserved(uint32_t domain, const char *name)
{
	return !name[0] || !strcasecmp(name, "xen") || !strcasecmp(name, RING_FILE_DIR) ||
	       (domain && !strcasecmp(name, STRATA_DOM0_NAME));
}

void source_name(const struct strata_recording *recording, uint32_t domain, const char *domain_name,
		 char *name, size_t bytes)
{
	unsigned int turn = 1;
	size_t length;

	snprintf(name, bytes, "%s", strata_domain_shown_name(domain, domain_name));
	for (length = 0; name[length]; length++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
			    name[length]))
			name[length] = '_';
	if (!is_reserved(domain, name) && !is_taken(recording, name))
		return;
	length = strnlen(name, bytes - SUFFIX_BYTES);
	snprintf(name + length, bytes - length, "-%u", domain);
	while (is_taken(recording, name)) {
		/* A domain that returns repeatedly under a name must not cost a search each
		 * time. */
		if (++turn > TURNS_TRIED && turn <= recording->nr_sources)
			turn = (unsigned int)recording->nr_sources + 1;
		snprintf(name + length, bytes - length, "-%u-%u", domain, turn);
	}
}
