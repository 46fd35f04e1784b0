/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace_fixture.h - imports a file of xentrace's for a test, merges the recording
 * that comes of it, and keeps what was said and seen.
 */
#ifndef STRATA_TESTS_XENTRACE_FIXTURE_H
#define STRATA_TESTS_XENTRACE_FIXTURE_H

#include "inputs/xentrace/xentrace.h"
#include "merge_fixture.h"
#include "xentrace_file.h"

/* The domain, and its vCPU, of an event where neither is known. */
#define UNKNOWN_VCPU 0x7ff4u, 0xffffu

struct imported {
	int status; /* of the import */
	struct strata_error error;
	struct strata_xentrace_report report;
	char complaints[262144]; /* one a line */
	unsigned int nr_complaints;
	struct merged merged; /* if there is a recording */
};

/* Imports file->path into file->raw; @tsc_khz 0: it is to be found. */
void import_file(struct imported *imported, const struct xentrace_file *file, uint32_t tsc_khz);

/* The same with options; their complain and data are set here. */
void import_with(struct imported *imported, const struct xentrace_file *file,
		 struct strata_xentrace_options options);

/* Whatever the file was like, the packets that come of it are whole; a merge complains of nothing
 * but times that go back. */
void assert_whole_but_for_times(const struct merged *merged);

/* Writes the file, imports it at 2.4 GHz, which has to succeed, and frees the file. */
void import_written(struct imported *imported, struct xentrace_file *file);

/* Finds which id of the hypervisor's each number in a recording's records stands for.  Returns how
 * many there are. */
size_t load_ids(const char *raw, uint32_t ids[STRATA_SOURCE_EVENTS_MAX]);

void imported_free(struct imported *imported);

/* What was said, or the error if it failed, has that text. */
void assert_said(const struct imported *imported, const char *text);

/* Fails unless @records were imported, and @left_out_bytes were left out at @bad_places. */
void assert_kept(const struct imported *imported, unsigned int records, unsigned int bad_places,
		 unsigned int left_out_bytes);

/* Events of that name that lie in that order, with that time, and that domain's vCPU. */
void assert_event(const struct imported *imported, size_t index, const char *name, uint64_t ticks,
		  unsigned int domain, unsigned int vcpu);

#endif /* STRATA_TESTS_XENTRACE_FIXTURE_H */
