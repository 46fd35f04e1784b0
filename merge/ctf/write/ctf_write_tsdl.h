/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_write_tsdl.h - types as TSDL text, from which any reader gets the same types:
 * to write a trace of somebody else's anew.
 */
#ifndef STRATA_MERGE_CTF_WRITE_TSDL_H
#define STRATA_MERGE_CTF_WRITE_TSDL_H

#include "ctf/types/ctf_scopes.h"
#include "base/error.h"
#include "files/out_file.h"

/* What is written, and what surrounds it. */
struct strata_ctf_scopes {
	/* What lengths and tags can be taken from; NULL: not there. */
	const struct strata_ctf_type *types[STRATA_CTF_NR_SCOPES];
	/* A name for each clock of the trace that the types are of; NULL: map no integer. */
	const char *const *clocks;
	bool big_endian; /* as the trace says: types of that order need not */
};

/*
 * Writes the structure of @scope, as "struct { ... } align(N)" without a semicolon.
 * Names in payloads and in the contexts of events get an underscore in front, which
 * readers take away; elsewhere, where names have a meaning, only those that need it.
 * @indent: tabs in front of the closing brace
 * Returns 0, or -1 with an error: a length or tag that is in none of the scopes.
 * Whether it could be written strata_out_close() tells.
 */
int strata_ctf_write_tsdl(struct strata_out_file *out, const struct strata_ctf_scopes *scopes,
			  enum strata_ctf_scope scope, unsigned int indent,
			  struct strata_error *error);

#endif /* STRATA_MERGE_CTF_WRITE_TSDL_H */
