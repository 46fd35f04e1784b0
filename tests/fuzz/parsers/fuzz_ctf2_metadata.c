// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_ctf2_metadata.c - any bytes as the JSON of CTF 2's metadata, and what stands behind the
 * first zero byte as an event of each class: it is moved over alike by program and by types, and
 * nothing is read beyond its end.
 */
#include "ctf/values/ctf_program.h"
#include "metadata_promises.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void move_over(const struct strata_ctf_stream_class *stream,
		      const struct strata_ctf_event_class *event, const uint8_t *bytes, size_t size)
{
	const struct strata_ctf_type *const types[] = { stream->event_context, event->context,
							event->payload };
	uint64_t slots[3][STRATA_CTF_SLOTS_MAX] = { { 0 } }, hash = 0;
	struct strata_ctf_program program;
	struct strata_ctf_cursor cursors[3];
	bool fits[3] = { true, true, true };
	unsigned int i;

	for (i = 0; i < 3; i++)
		cursors[i] = (struct strata_ctf_cursor){ bytes, 0, (uint64_t)size * 8, slots[i] };
	PROMISE(strata_ctf_program_make(&program, types, 3) == 0);
	fits[0] = strata_ctf_program_skip(&program, &cursors[0]);
	fits[1] = strata_ctf_program_fold(&program, &cursors[1], &hash);
	for (i = 0; i < 3 && fits[2]; i++) {
		if (types[i])
			fits[2] = strata_ctf_skip(&cursors[2], types[i]);
	}
	PROMISE(fits[0] == fits[1] && fits[0] == fits[2]);
	PROMISE(!fits[0] || (cursors[0].at == cursors[1].at && cursors[0].at == cursors[2].at));
	PROMISE(cursors[0].at <= (uint64_t)size * 8);
	strata_ctf_program_clear(&program);
}

static void move_over_all(const struct strata_ctf_metadata *metadata, const uint8_t *bytes,
			  size_t size)
{
	/* On the heap, so that whoever reads beyond it is caught. */
	uint8_t *copy = calloc(1, size + STRATA_CTF_PADDING);
	size_t i, j;

	PROMISE(copy);
	if (size)
		memcpy(copy, bytes, size);
	for (i = 0; i < metadata->nr_streams; i++) {
		for (j = 0; j < metadata->streams[i].nr_events; j++)
			move_over(&metadata->streams[i], &metadata->streams[i].events[j], copy,
				  size);
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint8_t *data = size ? memchr(bytes, 0, size) : NULL;
	const size_t text = data ? (size_t)(data - bytes) : size;
	struct strata_ctf_metadata metadata;
	struct strata_error error = { .text = "" };

	if (strata_ctf_metadata_parse(&metadata, "metadata", bytes, text, hear, NULL, &error) ==
	    0) {
		check(&metadata);
		move_over_all(&metadata, data ? data + 1 : bytes, data ? size - text - 1 : 0);
	} else {
		PROMISE(strncmp(error.text, "metadata:", 9) == 0);
	}
	strata_ctf_metadata_clear(&metadata);
	return 0;
}
