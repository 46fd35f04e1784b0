/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write_back.h - has the kernel write stream files to the disk while they grow.  Left to itself, it
 * begins when a tenth of the memory waits for the disk, or after half a minute.
 *
 * A thread of its own asks the kernel, because a slow disk holds up whoever asks.  It asks for one
 * range at a time; a file that has grown meanwhile is asked for in one range later.
 */
#ifndef STRATA_CONSUMERD_WRITE_BACK_H
#define STRATA_CONSUMERD_WRITE_BACK_H

#include "consumerd/drain/stream_file.h"

/* Ranges begin and end on multiples of this: the kernel writes none of their pages twice. */
#define WRITE_BACK_BYTES (UINT64_C(8) << 20)

struct write_back;

/*
 * Has what was appended to a file written, if that is much, and the disk keeps up.  Never waits.
 * @write_back: made with the first file that needs it; NULL until then, or if there are no threads
 */
void write_back_start(struct write_back **write_back, struct stream_file *file);

/* Ends the thread.  What it was asked for is written also afterwards. */
void write_back_close(struct write_back *write_back);

#endif /* STRATA_CONSUMERD_WRITE_BACK_H */
