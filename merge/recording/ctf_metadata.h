/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_metadata.h - writes the CTF 1.8 metadata (TSDL) of a recorded source from its typed tables.
 * It contains no unchecked text of a guest: names are C identifiers, and a domain's name is
 * escaped.
 */
#ifndef STRATA_MERGE_CTF_METADATA_H
#define STRATA_MERGE_CTF_METADATA_H

#include "recording/recording.h"
#include "files/safe_dir.h"

/* Writes DIR/SOURCE/metadata (to a temporary name, then renamed), and makes DIR/SOURCE if it is
 * missing.  0 or -1. */
int strata_ctf_metadata_save(const struct strata_recording *recording,
			     const struct strata_source *source, const struct strata_dir *dir,
			     struct strata_error *error);

#endif /* STRATA_MERGE_CTF_METADATA_H */
