/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_fds.h - the two descriptors that the fake libraries hand out, and which of them is readable;
 * poll() of the fuzzed programs knows them. */
#ifndef STRATA_TESTS_FAKE_FDS_H
#define STRATA_TESTS_FAKE_FDS_H

#include <stdbool.h>

#define FAKE_FD_XENSTORE 1000001
#define FAKE_FD_EVTCHN   1000002

bool fake_xenstore_readable(void);
bool fake_evtchn_readable(void);

#endif /* STRATA_TESTS_FAKE_FDS_H */
