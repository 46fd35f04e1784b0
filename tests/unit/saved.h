/* SPDX-License-Identifier: GPL-2.0-or-later */
/* saved.h - saves the tables of a recording into a directory that a test names. */
#ifndef STRATA_TESTS_SAVED_H
#define STRATA_TESTS_SAVED_H

#include "recording/ctf_metadata.h"

static inline int saved_recording(const struct strata_recording *recording, const char *path,
				  struct strata_error *error)
{
	struct strata_dir dir;
	int status;

	if (strata_dir_open(&dir, path, error))
		return -1;
	status = strata_recording_save(recording, &dir, error);
	strata_dir_close(&dir);
	return status;
}

/* Loads a recording with all its event classes. */
static inline int loaded_recording(struct strata_recording *recording, const char *path,
				   struct strata_error *error)
{
	int status = strata_recording_load(recording, path, error);
	size_t i;

	for (i = 0; !status && i < recording->nr_sources; i++)
		status = strata_source_load_events(&recording->sources[i], path, error);
	return status;
}

static inline int saved_metadata(const struct strata_recording *recording,
				 const struct strata_source *source, const char *path,
				 struct strata_error *error)
{
	struct strata_dir dir;
	int status;

	if (strata_dir_open(&dir, path, error))
		return -1;
	status = strata_ctf_metadata_save(recording, source, &dir, error);
	strata_dir_close(&dir);
	return status;
}

#endif /* STRATA_TESTS_SAVED_H */
