/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exit_status.h - the exit statuses of the strata command, the same for every verb. */
#ifndef STRATA_BASE_EXIT_STATUS_H
#define STRATA_BASE_EXIT_STATUS_H

enum strata_status {
	STRATA_STATUS_OK = 0,
	STRATA_STATUS_FAILED = 1,  /* nothing was done, or only a part */
	STRATA_STATUS_USAGE = 2,   /* the command line is wrong */
	STRATA_STATUS_PARTIAL = 3, /* done, except for what messages on stderr name */
};

#endif /* STRATA_BASE_EXIT_STATUS_H */
