// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_scopes.c - the paths by which TSDL names scopes; see ctf_scopes.h. */
#include "ctf/types/ctf_scopes.h"

const struct strata_ctf_scope_path strata_ctf_scope_paths[STRATA_CTF_NR_SCOPES] = {
	[STRATA_CTF_PACKET_HEADER] = { { "trace", "packet", "header" }, 3 },
	[STRATA_CTF_PACKET_CONTEXT] = { { "stream", "packet", "context" }, 3 },
	[STRATA_CTF_EVENT_HEADER] = { { "stream", "event", "header" }, 3 },
	[STRATA_CTF_STREAM_EVENT_CONTEXT] = { { "stream", "event", "context" }, 3 },
	[STRATA_CTF_EVENT_CONTEXT] = { { "event", "context" }, 2 },
	[STRATA_CTF_PAYLOAD] = { { "event", "fields" }, 2 },
};
