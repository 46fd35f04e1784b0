/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_write_tsdl.h - writes types as TSDL text from which any reader gets the same types, for
 * example to rewrite another tracer's trace.
 */
#ifndef STRATA_MERGE_CTF_WRITE_TSDL_H
#define STRATA_MERGE_CTF_WRITE_TSDL_H

#include "ctf/types/ctf_scopes.h"
#include "base/error.h"
#include "files/out_file.h"

/* The context for writing types. */
struct strata_ctf_scopes {
	/* The scopes that contain lengths and tags; NULL: absent. */
	const struct strata_ctf_type *types[STRATA_CTF_NR_SCOPES];
	/* A name for each clock of the trace of the types; NULL: do not map integers. */
	const char *const *clocks;
	bool big_endian; /* the trace's default: types of that order need not state it */
};

/*
 * Writes the structure of @scope, as "struct { ... } align(N)" without a semicolon.
 * Names in payloads and in the contexts of events get a leading underscore, which readers strip;
 * elsewhere, where names have a meaning, only those that need it.
 * @indent: tabs before the closing brace
 * Returns 0, or -1 with an error: a length or tag that is in none of the scopes.
 * strata_out_close() returns write errors.
 */
int strata_ctf_write_tsdl(struct strata_out_file *out, const struct strata_ctf_scopes *scopes,
			  enum strata_ctf_scope scope, unsigned int indent,
			  struct strata_error *error);

#endif /* STRATA_MERGE_CTF_WRITE_TSDL_H */
