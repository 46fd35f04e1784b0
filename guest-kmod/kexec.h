/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kexec.h - takes the rings back before another kernel is started in this domain.
 */
#ifndef STRATA_KMOD_KEXEC_H
#define STRATA_KMOD_KEXEC_H

/* From now on another kernel may be started.  0 or a negative error after a message.  May sleep. */
int strata_kexec_open(void);

/* May sleep. */
void strata_kexec_close(void);

#endif /* STRATA_KMOD_KEXEC_H */
