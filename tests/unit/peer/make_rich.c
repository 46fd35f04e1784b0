// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * make_rich DIR SEED FORM STREAMS EVENTS - writes a sound trace of random types and
 * values, with headers of that form, for comparing readers; DIR is there.  Without
 * arguments it prints how many forms there are.
 *
 * tests/unit/test_merge_peer.sh starts it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../ctf_forms.h"
#include "../ctf_random.h"

#define BEGIN   1700000000000000000ull
#define CLASSES 3u

static char metadata[1u << 20];
static struct random_type *context, *payloads[CLASSES];

static void put_file(const char *dir, const char *name, const void *bytes, size_t nr)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	if (!file || fwrite(bytes, 1, nr, file) != nr || fclose(file)) {
		perror(path);
		exit(1);
	}
}

static void make_types(const struct ctf_form *form, uint64_t *seed)
{
	char text[65536] = "";
	unsigned int i;

	context = random_type_make(seed, form->big_endian);
	random_type_tell(context, text, sizeof(text));
	ctf_form_tell(form, text, metadata, sizeof(metadata));
	for (i = 0; i < CLASSES; i++) {
		payloads[i] = random_type_make(seed, form->big_endian);
		text[0] = '\0';
		random_type_tell(payloads[i], text, sizeof(text));
		sprintf(metadata + strlen(metadata),
			"event { name = e%u; id = %llu; stream_id = 0; fields := %s; };\n", i,
			(unsigned long long)(form->max_id * i / (CLASSES - 1)), text);
	}
}

static void put_stream(const struct ctf_form *form, const char *dir, uint32_t cpu,
		       unsigned long nr_events, uint64_t *seed)
{
	struct bits bits = { .big_endian = form->big_endian };
	uint64_t ns = BEGIN, before = 0, limit = 0, sequence = 0;
	char name[32];
	unsigned long i;

	for (i = 0; i < nr_events; i++) {
		const unsigned int class = (unsigned int)(maker_random(seed) >> 30) % CLASSES;

		ns += maker_random(seed) % (maker_random(seed) % 100 ? 3000 : 1u << 29);
		if (limit == 0) {
			before = ns;
			maker_begin_packet(&bits, ns, sequence++, cpu);
			limit = 200 + maker_random(seed) % 20000;
		}
		ctf_form_put(form, &bits, form->max_id * class / (CLASSES - 1), ns, before);
		random_type_put(context, &bits, seed, 0);
		random_type_put(payloads[class], &bits, seed, 0);
		before = ns;
		if ((bits.at - bits.origin) / 8 > limit || i + 1 == nr_events) {
			maker_end_packet(&bits, ns, maker_random(seed) % 2 ? 8192 : 0);
			limit = 0;
		}
	}
	snprintf(name, sizeof(name), "stream_%u", cpu);
	put_file(dir, name, bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
}

int main(int argc, char **argv)
{
	const struct ctf_form *form;
	uint64_t seed;
	uint32_t i;

	if (argc != 6) {
		printf("%zu\n", nr_ctf_forms);
		return argc != 1;
	}
	/* A generator of this kind stays at 0. */
	seed = strtoull(argv[2], NULL, 0) * 2654435761u + 1;
	form = &ctf_forms[strtoul(argv[3], NULL, 0) % nr_ctf_forms];
	make_types(form, &seed);
	put_file(argv[1], "metadata", metadata, strlen(metadata));
	for (i = 0; i < strtoul(argv[4], NULL, 0); i++)
		put_stream(form, argv[1], i, strtoul(argv[5], NULL, 0), &seed);
	random_type_free(context);
	for (i = 0; i < CLASSES; i++)
		random_type_free(payloads[i]);
	return 0;
}
