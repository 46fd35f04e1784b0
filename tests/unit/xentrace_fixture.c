// SPDX-License-Identifier: GPL-2.0-or-later
/* xentrace_fixture.c - see xentrace_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "xentrace_fixture.h"
#include "saved.h"

#include <stdio.h>
#include <string.h>

static void keep_complaint(void *data, const char *message)
{
	struct imported *imported = data;
	size_t length = strlen(imported->complaints);

	imported->nr_complaints++;
	snprintf(imported->complaints + length, sizeof(imported->complaints) - length, "%s\n",
		 message);
}

void import_with(struct imported *imported, const struct xentrace_file *file,
		 struct strata_xentrace_options options)
{
	memset(imported, 0, sizeof(*imported));
	options.complain = keep_complaint;
	options.data = imported;
	imported->status = strata_xentrace_import(file->path, file->raw, &options,
						  &imported->report, &imported->error);
	if (imported->status == 0)
		merge_directory(&imported->merged, file->raw, NULL, 0);
}

void import_file(struct imported *imported, const struct xentrace_file *file, uint32_t tsc_khz)
{
	const struct strata_xentrace_options options = { .tsc_khz = tsc_khz };

	import_with(imported, file, options);
}

void assert_whole_but_for_times(const struct merged *merged)
{
	const char *line = merged->complaints, *end;

	assert_int_equal(merged->result.tally.bad_packets, 0);
	for (; *line; line = end + (*end == '\n')) {
		end = strchrnul(line, '\n');
		if (!memmem(line, (size_t)(end - line), "time goes back", 14))
			fail_msg("%.*s", (int)(end - line), line);
	}
}

void import_written(struct imported *imported, struct xentrace_file *file)
{
	xentrace_write(file);
	import_file(imported, file, 2400000);
	if (imported->status)
		fail_msg("%s", imported->error.text);
	assert_int_equal(imported->merged.status, 0);
	assert_whole_but_for_times(&imported->merged);
	assert_int_equal(imported->merged.result.events, imported->report.tally.events);
	xentrace_free(file);
}

size_t load_ids(const char *raw, uint32_t ids[STRATA_SOURCE_EVENTS_MAX])
{
	struct strata_recording recording = { 0 };
	struct strata_error error;
	size_t i, nr;

	if (loaded_recording(&recording, raw, &error))
		fail_msg("%s", error.text);
	nr = recording.sources[0].nr_events;
	for (i = 0; i < nr; i++) {
		assert_true(recording.sources[0].shapes[i].number < nr);
		ids[recording.sources[0].shapes[i].number] = recording.sources[0].shapes[i].id;
	}
	strata_recording_clear(&recording);
	return nr;
}

void imported_free(struct imported *imported)
{
	merged_free(&imported->merged);
}

void assert_said(const struct imported *imported, const char *text)
{
	const char *said = imported->status ? imported->error.text : imported->complaints;

	if (!strstr(said, text))
		fail_msg("\"%s\" does not say \"%s\"", said, text);
}

void assert_kept(const struct imported *imported, unsigned int records, unsigned int bad_places,
		 unsigned int left_out_bytes)
{
	if (imported->report.tally.events != records || imported->report.bad_places != bad_places ||
	    imported->report.left_out_bytes != left_out_bytes)
		fail_msg("kept %llu, not %u; %llu bad places, not %u; %llu bytes left out, not %u; "
			 "said: %s",
			 (unsigned long long)imported->report.tally.events, records,
			 (unsigned long long)imported->report.bad_places, bad_places,
			 (unsigned long long)imported->report.left_out_bytes, left_out_bytes,
			 imported->complaints);
}

void assert_event(const struct imported *imported, size_t index, const char *name, uint64_t ticks,
		  unsigned int domain, unsigned int vcpu)
{
	const struct merged_event *event;

	assert_true(index < imported->merged.nr_events);
	event = &imported->merged.events[index];
	if (strcmp(event->name, name) != 0 || event->ticks != ticks || event->domain != domain ||
	    event->vcpu != vcpu)
		fail_msg("event %zu is %s at %llu of 0x%x/%u, not %s at %llu of 0x%x/%u", index,
			 event->name, (unsigned long long)event->ticks, event->domain, event->vcpu,
			 name, (unsigned long long)ticks, domain, vcpu);
}
