/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recover.h - makes a recording from the files of a killed recorder: its written packets, and the
 * committed records in files of rings (ring_file.h).
 */
#ifndef STRATA_CONSUMERD_RECOVER_H
#define STRATA_CONSUMERD_RECOVER_H

#include "consumerd/recorder.h"
#include "consumerd/rings/ring_file.h"

/* One stream of it, for the report. */
struct recovered_stream {
	size_t source; /* in the recording */
	uint32_t cpu;
	struct recorder_taken taken;
	struct ring *ring; /* NULL: not available */
	bool noted;        /* the ring records how far it was read */
};

/* The rings of one application. */
struct recovered_app {
	struct ring_file file;
	struct ring *rings; /* file.header.nr_rings */
	size_t source;
};

struct recovery {
	struct recorder *recorder;
	struct recovered_app *apps;
	size_t nr_apps;
	struct recovered_stream *streams;
	size_t nr_streams;
	unsigned int left_out; /* things that were named on stderr */
};

/*
 * Makes a recording in @to, which is created, from the directory or the file of rings @from, which
 * stays as it is. The caller releases the recovery in any case. 0: recorder_close() must still
 * drain the rings; -1.
 */
int recover(struct recovery *recovery, const char *from, const char *to,
	    struct strata_error *error);

/* Frees everything except the recorder. */
void recover_release(struct recovery *recovery);

#endif /* STRATA_CONSUMERD_RECOVER_H */
