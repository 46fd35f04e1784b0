// SPDX-License-Identifier: GPL-2.0-or-later
/* xentrace_file.c - see xentrace_file.h. */
#include "xentrace_file.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct xentrace_buffer *buffer, const void *bytes, size_t nr)
{
	if (buffer->nr + nr > buffer->capacity) {
		buffer->capacity = (buffer->nr + nr) * 2;
		buffer->bytes = realloc(buffer->bytes, buffer->capacity);
		if (!buffer->bytes)
			abort();
	}
	memcpy(buffer->bytes + buffer->nr, bytes, nr);
	buffer->nr += nr;
}

static void put_u32(struct xentrace_buffer *buffer, uint32_t value)
{
	const uint8_t bytes[4] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
				   (uint8_t)(value >> 24) };

	put(buffer, bytes, sizeof(bytes));
}

/* Directories that were not removed: of a test that failed. */
static char left[8][sizeof(((struct xentrace_file *)NULL)->dir)];

static void remove_dir(const char *dir)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%.40s'", dir);
	if (system(command))
		abort();
}

static void remove_left(void)
{
	size_t i;

	for (i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		if (left[i][0])
			remove_dir(left[i]);
}

/* Replaces one of these names by another. */
static void note_left(const char *name, const char *by)
{
	size_t i;

	for (i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		if (strcmp(left[i], name) == 0) {
			strcpy(left[i], by);
			return;
		}
	abort();
}

void xentrace_init(struct xentrace_file *file)
{
	static bool is_cleaned;

	if (!is_cleaned && atexit(remove_left))
		abort();
	is_cleaned = true;
	memset(file, 0, sizeof(*file));
	strcpy(file->dir, "/dev/shm/strata-xentrace-XXXXXX");
	if (!mkdtemp(file->dir))
		abort();
	note_left("", file->dir);
	snprintf(file->path, sizeof(file->path), "%s/trace", file->dir);
	snprintf(file->raw, sizeof(file->raw), "%s/raw", file->dir);
}

void xentrace_free(struct xentrace_file *file)
{
	size_t i;

	remove_dir(file->dir);
	note_left(file->dir, "");
	free(file->whole.bytes);
	for (i = 0; i < XENTRACE_PCPUS; i++)
		free(file->pcpus[i].bytes);
}

static void put_words(struct xentrace_buffer *buffer, unsigned int words, va_list args)
{
	unsigned int i;

	for (i = 0; i < words; i++)
		put_u32(buffer, va_arg(args, uint32_t));
}

void xentrace_timed(struct xentrace_file *file, unsigned int pcpu, uint64_t tsc, uint32_t event,
		    unsigned int words, ...)
{
	struct xentrace_buffer *buffer = &file->pcpus[pcpu];
	va_list args;

	put_u32(buffer, event | words << 28 | 1u << 31);
	put_u32(buffer, (uint32_t)tsc);
	put_u32(buffer, (uint32_t)(tsc >> 32));
	va_start(args, words);
	put_words(buffer, words, args);
	va_end(args);
}

void xentrace_untimed(struct xentrace_file *file, unsigned int pcpu, uint32_t event,
		      unsigned int words, ...)
{
	va_list args;

	put_u32(&file->pcpus[pcpu], event | words << 28);
	va_start(args, words);
	put_words(&file->pcpus[pcpu], words, args);
	va_end(args);
}

void xentrace_runstate(struct xentrace_file *file, unsigned int pcpu, uint64_t tsc,
		       unsigned int domain, unsigned int vcpu, unsigned int before,
		       unsigned int after)
{
	xentrace_timed(file, pcpu, tsc, 0x21001u | before << 8 | after << 4, 1,
		       domain << 16 | vcpu);
}

void xentrace_lying_window(struct xentrace_file *file, unsigned int pcpu, uint32_t says_cpu,
			   uint32_t says_bytes)
{
	struct xentrace_buffer *buffer = &file->pcpus[pcpu];

	put_u32(&file->whole, 0x1f003u | 2u << 28);
	put_u32(&file->whole, says_cpu);
	put_u32(&file->whole, says_bytes);
	put(&file->whole, buffer->bytes, buffer->nr);
	buffer->nr = 0;
}

void xentrace_window(struct xentrace_file *file, unsigned int pcpu)
{
	xentrace_lying_window(file, pcpu, pcpu, (uint32_t)file->pcpus[pcpu].nr);
}

void xentrace_bytes(struct xentrace_file *file, const void *bytes, size_t nr)
{
	put(&file->whole, bytes, nr);
}

void xentrace_records(struct xentrace_file *file, unsigned int pcpu, uint64_t ticks)
{
	unsigned int i;

	for (i = 0; i < XENTRACE_WINDOW_RECORDS; i++)
		xentrace_timed(file, pcpu, ticks + i * 10u, 0x22006, 1, i);
}

void xentrace_whole_window(struct xentrace_file *file, unsigned int pcpu, uint64_t ticks)
{
	xentrace_records(file, pcpu, ticks);
	xentrace_window(file, pcpu);
}

void xentrace_write(struct xentrace_file *file)
{
	FILE *out = fopen(file->path, "w");

	if (!out || (file->whole.nr && fwrite(file->whole.bytes, file->whole.nr, 1, out) != 1) ||
	    fclose(out))
		abort();
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

struct turns {
	uint64_t ns;       /* system time now */
	uint64_t began_ns; /* of who runs */
	uint32_t domain, vcpu;
};

/* As common/sched/core.c does it: decision, runstates, and then the other one runs. */
static void take_turn(struct xentrace_file *file, unsigned int pcpu, struct turns *turns,
		      uint32_t khz, uint32_t jitter_ticks, uint64_t *state)
{
	const uint32_t domains[] = { 0x7fff, 0, 1 };
	uint32_t domain = domains[next_random(state) % 3];
	uint64_t tsc;

	if (domain == turns->domain)
		domain = domain == 1 ? 0 : 1;
	turns->ns += 20000 + next_random(state) % 380000;
	tsc = 10000000000000ull + (uint64_t)((__uint128_t)turns->ns * khz / 1000000) +
	      next_random(state) % (jitter_ticks + 1);
	xentrace_timed(file, pcpu, tsc, 0x2800e, 3, turns->domain, turns->vcpu,
		       (uint32_t)(turns->ns - turns->began_ns));
	xentrace_timed(file, pcpu, tsc + 40, 0x2800f, 4, domain, pcpu, 0u, 10000000u);
	xentrace_timed(file, pcpu, tsc + 80, 0x2800a, 4, turns->domain, turns->vcpu, domain, pcpu);
	xentrace_runstate(file, pcpu, tsc + 120, turns->domain, turns->vcpu, 0, 2);
	xentrace_runstate(file, pcpu, tsc + 160, domain, pcpu, 2, 0);
	if (domain == 1) {
		xentrace_timed(file, pcpu, tsc + 500, 0x81001, 0);
		xentrace_timed(file, pcpu, tsc + 2000, 0x81102, 3, 12u, 0x81000000u, 0xffffffffu);
		xentrace_untimed(file, pcpu, 0x82013, 1, 0u);
	}
	turns->domain = domain;
	turns->vcpu = pcpu;
	turns->began_ns = turns->ns;
}

void xentrace_host(struct xentrace_file *file, unsigned int turns, uint32_t khz,
		   uint32_t jitter_ticks, uint64_t seed)
{
	struct turns pcpus[2] = { { .domain = 0x7fff }, { .domain = 0x7fff, .vcpu = 1 } };
	uint64_t state = seed * 2654435761u + 88172645463325252ull;
	unsigned int i, pcpu;

	for (i = 1; i <= turns; i++) {
		for (pcpu = 0; pcpu < 2; pcpu++)
			take_turn(file, pcpu, &pcpus[pcpu], khz, jitter_ticks, &state);
		for (pcpu = 0; pcpu < 2 && (i % 50 == 0 || i == turns); pcpu++)
			xentrace_window(file, pcpu);
	}
}
