/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace_file.h - writes files as xentrace does, for tests, byte by byte and by the
 * words of Xen's public/trace.h alone: it shares nothing with the importer.
 */
#ifndef STRATA_TESTS_XENTRACE_FILE_H
#define STRATA_TESTS_XENTRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XENTRACE_PCPUS          4
#define XENTRACE_WINDOW_RECORDS 10u
#define XENTRACE_WINDOW_BYTES   (XENTRACE_WINDOW_RECORDS * 16u)

struct xentrace_buffer {
	uint8_t *bytes;
	size_t nr, capacity;
};

struct xentrace_file {
	char dir[40];
	char path[64]; /* of the file */
	char raw[64];  /* where a recording may be made */
	struct xentrace_buffer whole;
	struct xentrace_buffer pcpus[XENTRACE_PCPUS]; /* what their next windows hold */
};

void xentrace_init(struct xentrace_file *file);
void xentrace_free(struct xentrace_file *file); /* removes its directory too */

/* A record in the buffer of a physical CPU; @words follow, as uint32_t. */
void xentrace_timed(struct xentrace_file *file, unsigned int pcpu, uint64_t tsc, uint32_t event,
		    unsigned int words, ...);
void xentrace_untimed(struct xentrace_file *file, unsigned int pcpu, uint32_t event,
		      unsigned int words, ...);

/* A vCPU's runstate changes: 0 running, 1 runnable, 2 blocked. */
void xentrace_runstate(struct xentrace_file *file, unsigned int pcpu, uint64_t tsc,
		       unsigned int domain, unsigned int vcpu, unsigned int before,
		       unsigned int after);

/* xentrace empties a buffer into the file, with another CPU or size than is true if they say so. */
void xentrace_window(struct xentrace_file *file, unsigned int pcpu);
void xentrace_lying_window(struct xentrace_file *file, unsigned int pcpu, uint32_t says_cpu,
			   uint32_t says_bytes);

/* Bytes of any kind between windows. */
void xentrace_bytes(struct xentrace_file *file, const void *bytes, size_t nr);

/* Adds XENTRACE_WINDOW_RECORDS records of one CPU, each 16 bytes, from @ticks on in steps of 10. */
void xentrace_records(struct xentrace_file *file, unsigned int pcpu, uint64_t ticks);

/* The same, and empties the CPU's buffer: a window of XENTRACE_WINDOW_BYTES and its header. */
void xentrace_whole_window(struct xentrace_file *file, unsigned int pcpu, uint64_t ticks);

void xentrace_write(struct xentrace_file *file);

/*
 * A host with two physical CPUs, on which vCPUs of domains 0 and 1 and the idle ones take turns
 * of 20 to 400 us, as @khz counts; xentrace empties the buffers after each 50 turns.
 * @jitter_ticks: the counter is read up to that much after the system time
 */
void xentrace_host(struct xentrace_file *file, unsigned int turns, uint32_t khz,
		   uint32_t jitter_ticks, uint64_t seed);

#endif /* STRATA_TESTS_XENTRACE_FILE_H */
