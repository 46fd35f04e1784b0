/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_scopes.h - the scopes of an event in a CTF trace, from the outside in: six structures, of
 * which inner ones can refer to integers of outer ones.
 */
#ifndef STRATA_MERGE_CTF_SCOPES_H
#define STRATA_MERGE_CTF_SCOPES_H

#include "ctf/types/ctf_types.h"

enum strata_ctf_scope {
	STRATA_CTF_PACKET_HEADER,
	STRATA_CTF_PACKET_CONTEXT,
	STRATA_CTF_EVENT_HEADER,
	STRATA_CTF_STREAM_EVENT_CONTEXT,
	STRATA_CTF_EVENT_CONTEXT,
	STRATA_CTF_PAYLOAD,
	STRATA_CTF_NR_SCOPES,
};

/* The words of the path to a scope: stream.event.header. */
#define STRATA_CTF_SCOPE_WORDS 3u

struct strata_ctf_scope_path {
	const char *words[STRATA_CTF_SCOPE_WORDS];
	size_t nr_words;
};

extern const struct strata_ctf_scope_path strata_ctf_scope_paths[STRATA_CTF_NR_SCOPES];

#endif /* STRATA_MERGE_CTF_SCOPES_H */
