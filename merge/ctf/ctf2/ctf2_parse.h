/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf2_parse.h - parses the JSON text sequence of CTF 2 (CTF2-SPEC-2.0) into the declarations of
 * tsdl_parse.h, from which tsdl_build.h makes types.
 */
#ifndef STRATA_MERGE_CTF_CTF2_PARSE_H
#define STRATA_MERGE_CTF_CTF2_PARSE_H

#include "ctf/tsdl/tsdl_parse.h"

/*
 * Returns 0, or -1 with an error that names the fragment. The result lives in the source's arena. A
 * truncated last fragment is reported and left out.
 */
int strata_ctf2_parse(struct strata_tsdl_source *source, struct strata_tsdl_file *file);

#endif /* STRATA_MERGE_CTF_CTF2_PARSE_H */
