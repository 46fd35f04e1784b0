// SPDX-License-Identifier: GPL-2.0-or-later
/* filter_world.c - see filter_world.h. */
#include "filter_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filter/filter.h"
#include "outputs/count.h"

#define BEGIN_NS 1700000000000000000ull

static const char *const texts[] = {
	"sshd", "sh", "", "s*h", "kworker/0:1", "a[1]", "back\\slash"
};
static const uint64_t edges[] = { 0,
				  1,
				  5,
				  0x7f,
				  0x80,
				  0xff,
				  INT64_MAX,
				  1ull << 63,
				  (1ull << 63) + 1,
				  UINT64_MAX,
				  UINT64_MAX - 1,
				  1ull << 53,
				  (1ull << 53) + 1 };
static const double reals[] = { 0.0, -0.0, 0.5, 5.0, -1.0, 1e300, 0x1p63, 0x1p64, -0x1p63, 0x1p53 };

/* Making ------------------------------------------------------------------------------------- */

struct maker {
	struct bits bits;
	uint64_t seed;
	struct plain_event *event;
};

static struct plain_value *add(struct maker *maker, const char *name, enum plain_kind kind)
{
	struct plain_value *value = &maker->event->values[maker->event->nr++];

	assert_true(maker->event->nr <= FILTER_WORLD_VALUES);
	value->name = name;
	value->kind = kind;
	return value;
}

static uint64_t edge(struct maker *maker)
{
	return edges[maker_random(&maker->seed) % (sizeof(edges) / sizeof(edges[0]))];
}

/* An integer of whole bytes. */
static uint64_t put_integer(struct maker *maker, const char *name, unsigned int bits,
			    bool is_signed)
{
	uint64_t value = edge(maker);
	struct plain_value *plain = add(maker, name, PLAIN_NUMBER);

	if (bits < 64)
		value &= (1ull << bits) - 1;
	bits_put_aligned(&maker->bits, value, bits, 8);
	plain->number = value;
	if (is_signed && value >> (bits - 1))
		plain->number -= bits == 64 ? 0x1p64L : (long double)(1ull << bits);
	return value;
}

static void put_real(struct maker *maker, const char *name)
{
	const double real = reals[maker_random(&maker->seed) % (sizeof(reals) / sizeof(reals[0]))];
	uint64_t bits;

	memcpy(&bits, &real, sizeof(bits));
	bits_put_aligned(&maker->bits, bits, 64, 8);
	add(maker, name, PLAIN_NUMBER)->number = real;
}

static const char *any_text(struct maker *maker)
{
	return texts[maker_random(&maker->seed) % (sizeof(texts) / sizeof(texts[0]))];
}

static void put_string(struct maker *maker, const char *name)
{
	const char *text = any_text(maker);

	bits_align(&maker->bits, 8);
	bits_put_bytes(&maker->bits, text, strlen(text) + 1);
	snprintf(add(maker, name, PLAIN_TEXT)->text, 32, "%s", text);
}

/* Sixteen bytes; those behind the first zero byte mean nothing. */
static void put_characters(struct maker *maker, const char *name)
{
	char bytes[16] = "????????????????";
	const char *text = any_text(maker);

	bytes[15] = '!';
	memcpy(bytes, text, strlen(text) + 1);
	bits_align(&maker->bits, 8);
	bits_put_bytes(&maker->bits, bytes, sizeof(bytes));
	snprintf(add(maker, name, PLAIN_TEXT)->text, 32, "%s", text);
}

/* idle is 0, running 1 to 3, busy 3 to 200. */
static void put_state(struct maker *maker)
{
	const uint64_t value = maker_random(&maker->seed) % 5 + (edge(maker) == 0 ? 200 : 0);
	struct plain_value *plain = add(maker, "state", PLAIN_LABELLED);
	unsigned int nr = 0;

	bits_put_aligned(&maker->bits, value, 8, 8);
	plain->number = value;
	if (value == 0)
		plain->labels[nr++] = "idle";
	if (value >= 1 && value <= 3)
		plain->labels[nr++] = "running";
	if (value >= 3 && value <= 200)
		plain->labels[nr++] = "busy";
}

static void put_list(struct maker *maker)
{
	static const char *const names[] = { "list[0]", "list[1]", "list[2]" };
	const uint64_t nr = maker_random(&maker->seed) % 4;
	struct plain_value *plain = add(maker, "nr", PLAIN_NUMBER);
	uint64_t i;

	bits_put_aligned(&maker->bits, nr, 8, 8);
	plain->number = nr;
	for (i = 0; i < nr; i++)
		put_integer(maker, names[i], 16, false);
}

/* A variant: a number or text. */
static void put_either(struct maker *maker)
{
	const bool is_text = maker_random(&maker->seed) % 2;

	bits_put_aligned(&maker->bits, is_text, 8, 8);
	add(maker, "which", PLAIN_NUMBER)->number = is_text;
	if (is_text)
		put_string(maker, "either");
	else
		put_integer(maker, "either", 32, true);
}

static void put_alpha(struct maker *maker)
{
	/* A structure begins where the most aligned of its fields may. */
	bits_align(&maker->bits, 32);
	put_integer(maker, "small", 8, false);
	put_integer(maker, "wide", 64, true);
	put_characters(maker, "comm");
	bits_align(&maker->bits, 32);
	put_integer(maker, "big", 64, false);
	put_string(maker, "name");
	put_state(maker);
	bits_align(&maker->bits, 32);
	put_integer(maker, "pair.x", 16, false);
	put_integer(maker, "pair.y", 8, true);
	put_list(maker);
	put_either(maker);
	put_real(maker, "real");
}

/* Some fields of alpha's, of other kinds. */
static void put_beta(struct maker *maker)
{
	put_string(maker, "small");
	put_integer(maker, "name", 32, true);
	put_real(maker, "wide");
	put_integer(maker, "only_beta", 64, false);
}

static const char types[] =
	"event { name = alpha; id = 0; stream_id = 0; context := struct { integer { size = 8; "
	"align = 8; signed = true; } prio; }; fields := struct { u8 small; "
	"integer { size = 64; align = 8; signed = true; } wide; "
	"integer { size = 8; align = 8; encoding = UTF8; } comm[16]; "
	"integer { size = 64; align = 32; } big; string name; "
	"enum : u8 { idle = 0, running = 1 ... 3, busy = 3 ... 200 } state; "
	"struct { integer { size = 16; align = 8; } x; integer { size = 8; signed = true; align = 8; } "
	"y; } align(32) pair; u8 nr; integer { size = 16; align = 8; } list[nr]; "
	"enum : u8 { number = 0, word = 1 } which; variant <which> { integer { size = 32; align = 8; "
	"signed = true; } number; string word; } either; "
	"floating_point { exp_dig = 11; mant_dig = 53; align = 8; } real; }; };\n"
	"event { name = \"beta:b\"; id = 1; stream_id = 0; fields := struct { string small; "
	"integer { size = 32; align = 8; signed = true; } name; "
	"floating_point { exp_dig = 11; mant_dig = 53; align = 8; } wide; "
	"integer { size = 64; align = 8; } only_beta; }; };\n";

static void put_event(struct maker *maker, struct plain_event *event, uint64_t ns, uint64_t id,
		      uint32_t cpu)
{
	static const char *const names[] = { "alpha", "beta:b" };

	maker->event = event;
	bits_put_aligned(&maker->bits, id, 32, 8);
	bits_put_aligned(&maker->bits, ns, 64, 8);
	snprintf(add(maker, "$event", PLAIN_TEXT)->text, 32, "%s", names[id]);
	snprintf(add(maker, "$source", PLAIN_TEXT)->text, 32, "here");
	snprintf(add(maker, "$layer", PLAIN_TEXT)->text, 32, "app");
	add(maker, "$cpu", PLAIN_NUMBER)->number = cpu;
	add(maker, "$ctx.cpu_id", PLAIN_NUMBER)->number = cpu;
	add(maker, "$time", PLAIN_NUMBER)->number = ns;
	put_string(maker, "$ctx.procname");
	put_integer(maker, "$ctx.tid", 32, true);
	if (id == 0)
		put_integer(maker, "$ctx.prio", 8, true);
	if (id == 0)
		put_alpha(maker);
	else
		put_beta(maker);
}

static void open_trace(struct filter_world *world)
{
	struct strata_error error = { "" };
	struct strata_ctf_trace *trace = strata_ctf_trace_open(world->dir.path, NULL, NULL, &error);

	if (!trace || strata_trace_set_add(&world->set, trace, &error))
		fail_msg("%s", error.text);
}

void filter_world_make(struct filter_world *world, uint64_t seed)
{
	struct maker maker = { .seed = seed };
	char text[16384];
	unsigned int i;

	memset(world, 0, sizeof(*world));
	trace_dir_make(&world->dir);
	snprintf(text, sizeof(text),
		 "%s event.header := struct { integer { size = 32; align = 8; } id; time "
		 "timestamp; };\nevent.context := struct { string procname; integer { size = 32; "
		 "align = 8; signed = true; } tid; };\n};\nenv { domain = \"ust\"; };\n%s",
		 maker_metadata, types);
	trace_dir_put_text(&world->dir, "metadata", text);
	for (i = 0; i < FILTER_WORLD_EVENTS; i++) {
		const uint64_t ns = BEGIN_NS + i;
		const uint32_t cpu = i / 50;

		if (i % 50 == 0)
			maker_begin_packet(&maker.bits, ns, i / 50, cpu);
		put_event(&maker, &world->events[i], ns, maker_random(&maker.seed) % 2, cpu);
		if (i % 50 == 49 || i + 1 == FILTER_WORLD_EVENTS)
			maker_end_packet(&maker.bits, ns, 0);
	}
	trace_dir_put(&world->dir, "stream", maker.bits.bytes, bits_bytes(&maker.bits));
	bits_clear(&maker.bits);
	open_trace(world);
}

void filter_world_damage(struct filter_world *world, uint64_t *seed)
{
	char path[128];
	uint8_t bytes[65536];
	size_t nr, at;
	FILE *file;
	int i;

	snprintf(path, sizeof(path), "%s/stream", world->dir.path);
	file = fopen(path, "r");
	assert_non_null(file);
	nr = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	assert_in_range(nr, 10000, sizeof(bytes) - 1);
	for (i = 0; i < 8; i++) {
		at = (maker_random(seed) >> 20) % nr;
		bytes[at] = (uint8_t)(maker_random(seed) >> 20);
	}
	trace_dir_put(&world->dir, "stream", bytes, nr);
	strata_trace_set_clear(&world->set);
	open_trace(world);
}

uint64_t filter_world_count(struct filter_world *world, const char *expression)
{
	const struct strata_slice_options options = { .to_ns = UINT64_MAX, .threads = 1 };
	struct strata_filter *filter = strata_filter_new();
	const char *const name = "here";
	struct strata_error error = { "" };
	struct strata_chain chain;

	if ((*expression && strata_filter_expression(filter, expression, &error)) ||
	    strata_filter_bind(filter, &world->set, &name, &error))
		fail_msg("%s: %s", expression, error.text);
	world->set.filter = strata_filter_of_set(filter);
	if (strata_count(&world->set, &options, &chain, &error))
		fail_msg("%s", error.text);
	world->set.filter = NULL;
	strata_filter_free(filter);
	return chain.events;
}

void filter_world_end(struct filter_world *world)
{
	strata_trace_set_clear(&world->set);
	trace_dir_remove(&world->dir);
}

/* Asking ------------------------------------------------------------------------------------- */

struct got_sink {
	struct strata_slice_sink sink;
	bool *got;
};

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	bool *got = ((struct got_sink *)sink)->got;
	size_t i;

	(void)stream;
	(void)reader;
	(void)error;
	for (i = 0; i < nr; i++) {
		assert_true(events[i].ns - BEGIN_NS < FILTER_WORLD_EVENTS);
		assert_false(got[events[i].ns - BEGIN_NS]);
		got[events[i].ns - BEGIN_NS] = true;
	}
	return 0;
}

void filter_world_merge(const struct filter_world *world, bool got[FILTER_WORLD_EVENTS])
{
	struct got_sink sink = { { .take = take }, got };
	struct strata_ctf_tally tally = { 0 };
	struct strata_error error = { "" };
	unsigned int i, nr = 0;

	memset(got, 0, FILTER_WORLD_EVENTS * sizeof(*got));
	if (strata_trace_set_merge(&world->set, 0, UINT64_MAX, &sink.sink, &tally, &error))
		fail_msg("%s", error.text);
	for (i = 0; i < FILTER_WORLD_EVENTS; i++)
		nr += got[i];
	assert_int_equal(tally.events, nr);
}

const char *filter_world_ask(struct filter_world *world, const char *expression,
			     bool got[FILTER_WORLD_EVENTS])
{
	static struct strata_error error;
	struct strata_filter *filter = strata_filter_new();
	const char *const name = "here";
	int status;

	assert_non_null(filter);
	status = strata_filter_expression(filter, expression, &error);
	if (!status) {
		assert_int_equal(strata_filter_bind(filter, &world->set, &name, &error), 0);
		world->set.filter = strata_filter_of_set(filter);
		filter_world_merge(world, got);
		world->set.filter = NULL;
	}
	strata_filter_free(filter);
	return status ? error.text : NULL;
}
