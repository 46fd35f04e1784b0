/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tell_ready.h - tells the process that waits for it, a script or stratad, that a run has begun. */
#ifndef STRATA_STRATAD_TELL_READY_H
#define STRATA_STRATAD_TELL_READY_H

/* Writes a line to a descriptor and closes it, unless it is a standard one.  -1: does nothing. */
void tell_ready(int fd);

#endif /* STRATA_STRATAD_TELL_READY_H */
