// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_filter_random.c - random expressions leave the events that a plain evaluator
 * leaves, which knows the values from before they were written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filter_world.h"

#define EXPRESSIONS 3000u
#define TEXT_BYTES  8192u
#define DEPTH_MAX   5u

/* Made at random, as text and as a tree at once. */
struct random_node {
	char kind; /* '&', '|', '!', 't': a test, 'a': a field alone */
	struct random_node *left, *right;
	const char *field, *comparison, *other_field;
	struct plain_value value; /* if there is no other field */
};

static uint64_t seed = 0x2545f4914f6cdd1dull;

static unsigned int below(unsigned int nr)
{
	return (unsigned int)(maker_random(&seed) >> 20) % nr;
}

static const char *const numbers[] = { "small",     "wide",    "big",         "pair.x",    "pair.y",
				       "list[0]",   "list[2]", "list[7]",     "either",    "real",
				       "only_beta", "nothing", "$ctx.tid",    "$ctx.prio", "$cpu",
				       "$time",     "state",   "which",       "pair",      "pair.z",
				       "$vcpu",     "$domain", "$ctx.cpu_id", "name" };
static const char *const texts[] = { "comm",    "name",   "either",  "small",
				     "nothing", "$event", "$source", "$ctx.procname",
				     "$layer",  "state",  "real" };
static const char *const values[] = { "0",
				      "1",
				      "5",
				      "-1",
				      "-128",
				      "0xff",
				      "127",
				      "128",
				      "9223372036854775807",
				      "9223372036854775808",
				      "-9223372036854775808",
				      "18446744073709551615",
				      "0x20000000000001",
				      "0.5",
				      "5.0",
				      "1e300",
				      "-1.5",
				      "1.8446744073709552e19",
				      "9007199254740992.0",
				      "1700000000000000100" };
static const char *const patterns[] = { "sshd",      "s*",    "*h*",   "",     "?",      "s\\*h",
					"*",         "alpha", "beta*", "here", "app",    "idle",
					"[a-s]*",    "[!s]*", "*y",    "a[1]", "a\\[1]", "*[0-9]",
					"back\\\\*", "[",     "b*[" };
static const char *const comparisons[] = { "==", "!=", "<", "<=", ">", ">=" };

#define ANY(of) of[below(sizeof(of) / sizeof(of[0]))]

/* Values that may not stand beside text, because they are known to be numbers. */
static bool is_number_by_name(const char *field)
{
	return strcmp(field, "$cpu") == 0 || strcmp(field, "$time") == 0 ||
	       strcmp(field, "$vcpu") == 0;
}

static bool is_text_by_name(const char *field)
{
	return strcmp(field, "$event") == 0 || strcmp(field, "$source") == 0 ||
	       strcmp(field, "$layer") == 0;
}

static void make_test(struct random_node *node, char *text)
{
	const bool with_text = below(3) == 0;

	node->kind = 't';
	node->field = with_text ? ANY(texts) : ANY(numbers);
	node->comparison = with_text ? comparisons[below(2)] : ANY(comparisons);
	if (with_text) {
		const char *pattern = ANY(patterns);

		node->value.kind = PLAIN_TEXT;
		snprintf(node->value.text, sizeof(node->value.text), "%s", pattern);
		sprintf(text + strlen(text), "%s %s \"%s\"", node->field, node->comparison,
			pattern);
	} else if (below(6) == 0) {
		node->kind = 'a';
		strcat(text, node->field);
	} else if (below(5) == 0) {
		node->other_field = ANY(numbers);
		sprintf(text + strlen(text), "%s%s%s", node->field, node->comparison,
			node->other_field);
	} else {
		const char *value = ANY(values);

		node->value.kind = PLAIN_NUMBER;
		node->value.number = strchr(value, 'x')     ? (long double)strtoull(value, NULL, 16)
				     : strpbrk(value, ".e") ? (long double)strtod(value, NULL)
							    : strtold(value, NULL);
		sprintf(text + strlen(text), "%s %s %s", node->field, node->comparison, value);
	}
}

static struct random_node *make_node(unsigned int depth, char *text)
{
	struct random_node *node = calloc(1, sizeof(*node));
	const unsigned int what = below(10);

	assert_non_null(node);
	if (depth == 0 || what < 3) {
		make_test(node, text);
		return node;
	}
	node->kind = what < 6 ? '&' : what < 9 ? '|' : '!';
	strcat(text, node->kind == '!' ? "!(" : "(");
	node->left = make_node(depth - 1, text);
	if (node->kind != '!') {
		strcat(text, node->kind == '&' ? " && " : " || ");
		node->right = make_node(depth - 1, text);
	}
	strcat(text, ")");
	return node;
}

static void free_node(struct random_node *node)
{
	if (!node)
		return;
	free_node(node->left);
	free_node(node->right);
	free(node);
}

/* Two fields: text is compared literally, not as a pattern. */
static int compare_fields(const struct plain_value *left, const char *comparison,
			  const struct plain_value *right)
{
	if (left->kind != PLAIN_TEXT && right->kind != PLAIN_TEXT)
		return plain_compare(left, comparison, right);
	if (left->kind != right->kind || comparison[1] != '=' || comparison[0] == '<' ||
	    comparison[0] == '>')
		return -1;
	return (strcmp(left->text, right->text) == 0) == (comparison[0] == '=');
}

/* 1, 0, or -1: neither. */
static int evaluate(const struct random_node *node, const struct plain_event *event)
{
	const struct plain_value *value;
	int left, right;

	switch (node->kind) {
	case 't':
		value = plain_value_of(event, node->field);
		if (node->other_field)
			return compare_fields(value, node->comparison,
					      plain_value_of(event, node->other_field));
		return plain_compare(value, node->comparison, &node->value);
	case 'a':
		value = plain_value_of(event, node->field);
		return value->kind == PLAIN_NUMBER || value->kind == PLAIN_LABELLED
			       ? value->number != 0
			       : -1;
	case '!':
		left = evaluate(node->left, event);
		return left < 0 ? -1 : !left;
	}
	left = evaluate(node->left, event);
	right = evaluate(node->right, event);
	if (node->kind == '&')
		return left == 0 || right == 0 ? 0 : left < 0 || right < 0 ? -1 : 1;
	return left == 1 || right == 1 ? 1 : left < 0 || right < 0 ? -1 : 0;
}

static bool is_refused(const struct random_node *node)
{
	if (!node)
		return false;
	if (node->kind == 't' && !node->other_field && node->value.kind == PLAIN_TEXT)
		return is_number_by_name(node->field);
	if (node->kind == 't' && !node->other_field)
		return is_text_by_name(node->field);
	return is_refused(node->left) || is_refused(node->right);
}

static void random_expressions_leave_the_right_events(void **state)
{
	static struct filter_world world;
	bool got[FILTER_WORLD_EVENTS];
	unsigned int i, j, some = 0, compared = 0;

	(void)state;
	filter_world_make(&world, 77);
	for (i = 0; i < EXPRESSIONS; i++) {
		char text[TEXT_BYTES] = "";
		struct random_node *node = make_node(below(DEPTH_MAX + 1), text);
		const char *wrong = filter_world_ask(&world, text, got);
		unsigned int nr = 0;

		if (wrong && !is_refused(node))
			fail_msg("%s: %s", text, wrong);
		for (j = 0; !wrong && j < FILTER_WORLD_EVENTS; j++) {
			if (got[j] != (evaluate(node, &world.events[j]) == 1))
				fail_msg("event %u %s: %s", j, got[j] ? "is left" : "is not left",
					 text);
			nr += got[j];
			compared++;
		}
		some += nr > 0 && nr < FILTER_WORLD_EVENTS;
		free_node(node);
	}
	/* It is about something. */
	assert_true(some > EXPRESSIONS / 4);
	assert_true(compared > EXPRESSIONS * FILTER_WORLD_EVENTS / 2);
	filter_world_end(&world);
}

/* Bytes that lie: whatever they contain, an event does not both match and not match. */
static void of_damaged_events_none_matches_a_thing_and_its_opposite(void **state)
{
	static struct filter_world world;
	unsigned int i, j;

	(void)state;
	filter_world_make(&world, 78);
	for (i = 0; i < 60; i++) {
		uint64_t all;

		filter_world_damage(&world, &seed);
		all = filter_world_count(&world, "");
		for (j = 0; j < 20; j++) {
			char text[TEXT_BYTES] = "", opposite[TEXT_BYTES + 4];
			struct random_node *node = make_node(3, text);

			snprintf(opposite, sizeof(opposite), "!(%s)", text);
			if (!is_refused(node))
				assert_true(filter_world_count(&world, text) +
						    filter_world_count(&world, opposite) <=
					    all);
			free_node(node);
		}
	}
	filter_world_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_expressions_leave_the_right_events),
		cmocka_unit_test(of_damaged_events_none_matches_a_thing_and_its_opposite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
