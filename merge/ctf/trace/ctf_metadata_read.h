/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_metadata_read.h - reads the metadata of a trace: of CTF 1.8 plain TSDL text, or
 * text in packets; of CTF 2 a sequence of JSON texts.  The text is hostile.
 */
#ifndef STRATA_MERGE_CTF_METADATA_READ_H
#define STRATA_MERGE_CTF_METADATA_READ_H

#include "ctf/types/ctf_types.h"
#include "base/error.h"

/*
 * Reads DIR/metadata.
 * @complain: receives non-fatal problems (an unknown attribute); may be NULL
 * @metadata: OUT; to be freed with strata_ctf_metadata_clear()
 * Returns 0, or -1 with what is wrong, its line and column or its fragment, and what to do.  Files
 * of more than 64 MiB are refused; of truncated packets the complete part of the text is read.
 */
int strata_ctf_metadata_load(struct strata_ctf_metadata *metadata, const char *dir,
			     void (*complain)(void *data, const char *message), void *data,
			     struct strata_error *error);

/* The same from the directory @at, which is that of @dir, and not through a link. */
int strata_ctf_metadata_load_in(struct strata_ctf_metadata *metadata, int at, const char *dir,
				void (*complain)(void *data, const char *message), void *data,
				struct strata_error *error);

/* The same from @size bytes in memory; errors call them @name. */
int strata_ctf_metadata_parse(struct strata_ctf_metadata *metadata, const char *name,
			      const void *bytes, size_t size,
			      void (*complain)(void *data, const char *message), void *data,
			      struct strata_error *error);

/* Frees the contents, and empties the structure; it may be empty already. */
void strata_ctf_metadata_clear(struct strata_ctf_metadata *metadata);

#endif /* STRATA_MERGE_CTF_METADATA_READ_H */
