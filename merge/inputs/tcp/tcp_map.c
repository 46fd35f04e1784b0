// SPDX-License-Identifier: GPL-2.0-or-later
/* tcp_map.c - see tcp_map.h: parses the text of a map, and decides to which events a rule
 * applies. */
#include "inputs/tcp/tcp_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <strata/glob.h>

#include "base/escape.h"
#include "inputs/tcp/tcp_segment.h"
#include "base/value_hash.h"

#define FILE_BYTES_MAX (1u << 20)
#define RULES_MAX      4096u

/* The keywords of fields, and the bit of a form that each field sets. */
static const struct {
	const char *word;
	uint32_t form;
} parts[STRATA_TCP_NR_PARTS] = {
	[STRATA_TCP_SOURCE] = { "source_address", STRATA_TCP_HAS_SOURCE },
	[STRATA_TCP_DESTINATION] = { "destination_address", STRATA_TCP_HAS_DESTINATION },
	[STRATA_TCP_SOURCE_PORT] = { "source_port", STRATA_TCP_HAS_SOURCE_PORT },
	[STRATA_TCP_DESTINATION_PORT] = { "destination_port", STRATA_TCP_HAS_DESTINATION_PORT },
	[STRATA_TCP_SEQUENCE] = { "sequence", STRATA_TCP_HAS_SEQUENCE },
	[STRATA_TCP_ACKNOWLEDGED] = { "acknowledged", STRATA_TCP_HAS_ACKNOWLEDGED },
	[STRATA_TCP_FLAGS] = { "flags", STRATA_TCP_HAS_FLAGS },
	[STRATA_TCP_RAW_FLAGS] = { "raw_flags", STRATA_TCP_HAS_RAW_FLAGS },
	[STRATA_TCP_ID] = { "id", STRATA_TCP_HAS_ID },
	[STRATA_TCP_FRAGMENT] = { "fragment", 0 },
	[STRATA_TCP_PACKET] = { "packet", STRATA_TCP_FORM_OF_PACKET },
	[STRATA_TCP_JOIN] = { "join", 0 },
};

/* The position in the text, for messages. */
struct parser {
	struct strata_tcp_map *map;
	const char *name;
	unsigned int line;
	struct strata_tcp_rule *rule; /* being parsed; or NULL */
	unsigned int rule_line;
	struct strata_error *error;
};

static int fail(const struct parser *parser, unsigned int line, const char *what, const char *which)
{
	char shown[128];

	return strata_fail(parser->error, "%s: line %u: %s%s", parser->name, line, what,
			   which ? strata_escape_name(shown, sizeof(shown), which) : "");
}

static const char *next_word(char **rest)
{
	char *word;

	while ((word = strsep(rest, " \t\r"))) {
		if (*word)
			return word;
	}
	return NULL;
}

static int read_names(const struct parser *parser, char **rest, struct strata_tcp_names *names)
{
	const char *word;

	while ((word = next_word(rest))) {
		if (strcmp(word, "optional") == 0 && names->nr) {
			names->is_optional = true;
			continue;
		}
		if (names->nr == STRATA_TCP_NAMES_MAX)
			return fail(parser, parser->line, "more than 8 names; ", word);
		names->names[names->nr++] = word;
	}
	return names->nr ? 0 : fail(parser, parser->line, "a name is missing", NULL);
}

static int read_role(const struct parser *parser, const char *word)
{
	static const char *const roles[] = { "none", "sent", "received" };
	unsigned int i;

	for (i = 0; word && i < 3; i++) {
		if (strcmp(word, roles[i]) == 0) {
			parser->rule->role = (enum strata_tcp_role)i;
			return 0;
		}
	}
	return fail(parser, parser->line, "a role must be sent, received or none, not ", word);
}

static int read_condition(const struct parser *parser, char **rest)
{
	struct strata_tcp_rule *rule = parser->rule;
	const char *field = next_word(rest), *value = next_word(rest);
	char *end;

	if (!value || rule->nr_conditions == STRATA_TCP_NAMES_MAX)
		return fail(parser, parser->line, "where needs a field and a number", NULL);
	rule->conditions[rule->nr_conditions].field = field;
	errno = 0;
	rule->conditions[rule->nr_conditions++].value =
		*value == '-' ? (uint64_t)strtoll(value, &end, 0) : strtoull(value, &end, 0);
	return *end || errno ? fail(parser, parser->line, "no number is ", value) : 0;
}

static int read_layer(const struct parser *parser, const char *word)
{
	if (word && strcmp(word, "ethernet") == 0)
		parser->rule->layer = STRATA_TCP_ETHERNET;
	else if (word && strcmp(word, "ip") == 0)
		parser->rule->layer = STRATA_TCP_IP;
	else
		return fail(parser, parser->line, "a layer must be ethernet or ip, not ", word);
	return 0;
}

static int read_tag(const struct parser *parser, const char *word)
{
	const uint64_t hash = word ? strata_hash_bytes(1, word, strlen(word)) : 0;

	if (!word)
		return fail(parser, parser->line, "a tag is missing", NULL);
	parser->rule->tag = (uint32_t)(hash ^ hash >> 32) | 1;
	return 0;
}

static int read_dialect(const struct parser *parser, const char *word)
{
	const uint64_t hash = word ? strata_hash_bytes(2, word, strlen(word)) : 0;

	if (!word)
		return fail(parser, parser->line, "a dialect is missing", NULL);
	parser->rule->dialect = ((uint32_t)(hash ^ hash >> 32) | 1u << 16) & STRATA_TCP_DIALECT;
	return 0;
}

/* Parses a line of a rule. */
static int read_line(const struct parser *parser, const char *word, char **rest)
{
	struct strata_tcp_rule *rule = parser->rule;
	unsigned int i;

	for (i = 0; i < STRATA_TCP_NR_PARTS; i++) {
		if (strcmp(word, parts[i].word) == 0)
			return read_names(parser, rest, &rule->parts[i]);
	}
	if (strcmp(word, "role") == 0)
		return read_role(parser, next_word(rest));
	if (strcmp(word, "where") == 0)
		return read_condition(parser, rest);
	if (strcmp(word, "layer") == 0)
		return read_layer(parser, next_word(rest));
	if (strcmp(word, "tag") == 0)
		return read_tag(parser, next_word(rest));
	if (strcmp(word, "dialect") == 0)
		return read_dialect(parser, next_word(rest));
	if (strcmp(word, "swap") == 0)
		rule->swaps = true;
	else if (strcmp(word, "state") == 0)
		rule->is_state = true;
	else if (strcmp(word, "also") == 0)
		rule->goes_on = true;
	else
		return fail(parser, parser->line, "unknown word ", word);
	return 0;
}

/* Determines what a parsed rule finds; refuses a rule that can find nothing. */
static int end_rule(struct parser *parser)
{
	struct strata_tcp_rule *rule = parser->rule;
	unsigned int i;

	if (!rule)
		return 0;
	for (i = 0; i < STRATA_TCP_NR_PARTS; i++) {
		if (rule->parts[i].nr && !rule->parts[i].is_optional)
			rule->form |= parts[i].form;
	}
	rule->form |= rule->form & STRATA_TCP_HAS_RAW_FLAGS ? rule->dialect : 0;
	rule->form |= rule->tag ? STRATA_TCP_HAS_TAG : 0;
	rule->form |= rule->is_state ? STRATA_TCP_HAS_STATE : 0;
	if (rule->role == STRATA_TCP_NONE && !rule->parts[STRATA_TCP_JOIN].nr)
		return fail(parser, parser->rule_line,
			    "the rule has neither a role nor a field to join others by", NULL);
	if (!rule->parts[STRATA_TCP_JOIN].nr && !strata_tcp_form_is_enough(rule->form))
		return fail(parser, parser->rule_line,
			    "the rule does not tell segments apart: it needs sequence and "
			    "acknowledged, or addresses, ports and one of sequence, tag, "
			    "or acknowledged with state",
			    NULL);
	parser->rule = NULL;
	return 0;
}

static int begin_rule(struct parser *parser, char **rest)
{
	struct strata_tcp_map *map = parser->map;
	struct strata_tcp_rule *more;

	if (end_rule(parser))
		return -1;
	more = map->nr < RULES_MAX ? realloc(map->rules, (map->nr + 1) * sizeof(*more)) : NULL;
	if (!more)
		return fail(parser, parser->line, "there are too many rules", NULL);
	map->rules = more;
	parser->rule = &more[map->nr];
	parser->rule_line = parser->line;
	memset(parser->rule, 0, sizeof(*parser->rule));
	parser->rule->number = (unsigned int)map->nr++;
	return read_names(parser, rest, &parser->rule->events);
}

static int parse(struct strata_tcp_map *map, const char *text, const char *name,
		 struct strata_error *error)
{
	struct parser parser = { .map = map, .name = name, .error = error };
	char *copy = strdup(text), *rest = copy, *line;
	char **texts = realloc(map->texts, (map->nr_texts + 1) * sizeof(*texts));

	if (texts)
		map->texts = texts;
	if (!copy || !texts) {
		free(copy);
		return strata_fail(error, "%s: out of memory", name);
	}
	texts[map->nr_texts++] = copy;
	while ((line = strsep(&rest, "\n"))) {
		char *hash = strchr(line, '#');
		const char *word;

		parser.line++;
		if (hash)
			*hash = '\0';
		word = next_word(&line);
		if (!word)
			continue;
		if (strcmp(word, "event") == 0) {
			if (begin_rule(&parser, &line))
				return -1;
		} else if (!parser.rule) {
			return fail(&parser, parser.line,
				    "a rule must begin with \"event\", not with ", word);
		} else if (read_line(&parser, word, &line)) {
			return -1;
		}
	}
	return end_rule(&parser);
}

int strata_tcp_map_make(struct strata_tcp_map *map, const char *text, const char *name,
			struct strata_error *error)
{
	memset(map, 0, sizeof(*map));
	if (text && parse(map, text, name, error))
		return -1;
	map->nr_own = map->nr;
	return parse(map, strata_tcp_map_builtin, "the built-in map", error);
}

int strata_tcp_map_load(struct strata_tcp_map *map, const char *path, struct strata_error *error)
{
	struct stat status;
	char *text = NULL;
	int fd, result = -1;

	memset(map, 0, sizeof(*map));
	if (!path)
		return strata_tcp_map_make(map, NULL, NULL, error);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return strata_fail(error, "%s: %s", path, strerror(errno));
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size > FILE_BYTES_MAX)
		strata_fail(error, "%s: not a file of at most %u bytes", path, FILE_BYTES_MAX);
	else
		text = calloc((size_t)status.st_size + 1, 1);
	if (text && read(fd, text, (size_t)status.st_size) < 0)
		strata_fail(error, "%s: %s", path, strerror(errno));
	else if (text)
		result = strata_tcp_map_make(map, text, path, error);
	free(text);
	close(fd);
	return result;
}

void strata_tcp_map_clear(struct strata_tcp_map *map)
{
	size_t i;

	for (i = 0; i < map->nr_texts; i++)
		free(map->texts[i]);
	free(map->texts);
	free(map->rules);
	memset(map, 0, sizeof(*map));
}

bool strata_tcp_has_name(const struct strata_tcp_names *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->nr; i++) {
		if (strcmp(names->names[i], name) == 0)
			return true;
	}
	return false;
}

/* Whether a type has a field with one of the names, at any depth. */
static bool type_has(const struct strata_ctf_type *type, const struct strata_tcp_names *names)
{
	size_t i;

	if (type->kind == STRATA_CTF_ARRAY || type->kind == STRATA_CTF_SEQUENCE)
		return type_has(type->element, names);
	if (type->kind != STRATA_CTF_STRUCT && type->kind != STRATA_CTF_VARIANT)
		return false;
	for (i = 0; i < type->nr_fields; i++) {
		if (strata_tcp_has_name(names, type->fields[i].name) ||
		    type_has(type->fields[i].type, names))
			return true;
	}
	return false;
}

bool strata_tcp_rule_fits(const struct strata_tcp_rule *rule,
			  const struct strata_ctf_event_class *event)
{
	bool is_named = false;
	size_t i;

	for (i = 0; i < rule->events.nr && !is_named; i++)
		is_named = strata_glob_fits(rule->events.names[i], strlen(rule->events.names[i]),
					    event->name, strlen(event->name));
	if (!is_named || !event->payload)
		return false;
	for (i = 0; i < STRATA_TCP_NR_PARTS; i++) {
		if (rule->parts[i].nr && !rule->parts[i].is_optional &&
		    !type_has(event->payload, &rule->parts[i]))
			return false;
	}
	for (i = 0; i < rule->nr_conditions; i++) {
		const struct strata_tcp_names name = { { rule->conditions[i].field }, 1, false };

		if (!type_has(event->payload, &name))
			return false;
	}
	return true;
}
