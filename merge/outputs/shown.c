// SPDX-License-Identifier: GPL-2.0-or-later
/* shown.c - see shown.h. */
#include "outputs/shown.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/identity.h"
#include "timeline/domain_names.h"
#include "timeline/source_name.h"

#define SOURCE_NAME_BYTES 512u

static uint64_t identity_of(const char *name)
{
	return strata_identity_add_text(0, name, strlen(name));
}

static bool is_taken(const struct strata_shown *shown, const char *name)
{
	return strata_id_map_find(&shown->taken, identity_of(name)) != NULL;
}

/* The last component of a path, without the suffix @behind and without trailing slashes. */
static void last_part(char *out, size_t size, const char *path, const char *behind)
{
	size_t end = strlen(path) - strlen(behind), from;

	while (end > 0 && path[end - 1] == '/')
		end--;
	for (from = end; from > 0 && path[from - 1] != '/'; from--)
		;
	snprintf(out, size, "%.*s", (int)(end - from), path + from);
}

/*
 * Chooses a source's name: that given by an earlier merge; else its source's, or its directory's.
 * If it is taken, the recording's directory is prepended, or another trace's own appended; then a
 * number.
 */
static char *make_name(const struct strata_shown *shown, const struct strata_ctf_trace *trace)
{
	const char *source = strata_source_name(trace);
	const char *given = strata_ctf_env_text(trace, STRATA_CTF_SOURCE);
	char directory[SOURCE_NAME_BYTES / 8], text[SOURCE_NAME_BYTES / 4];
	char name[SOURCE_NAME_BYTES], whole[SOURCE_NAME_BYTES + STRATA_PUT_BYTES];
	size_t number;

	last_part(directory, sizeof(directory), trace->path,
		  trace->recording && source ? source : "");
	if (given && (!*given || strlen(given) >= sizeof(name) || !strata_is_escaped(given)))
		given = NULL;
	if (given)
		snprintf(name, sizeof(name), "%s", given);
	else if (source)
		strata_escape_name(name, sizeof(name), source);
	else
		strata_escape_name(name, sizeof(name), directory);
	if (!given && source && is_taken(shown, name)) {
		if (trace->recording)
			snprintf(text, sizeof(text), "%s/%.60s", directory, source);
		else
			snprintf(text, sizeof(text), "%.60s/%s", source, directory);
		strata_escape_name(name, sizeof(name), text);
	}
	snprintf(whole, sizeof(whole), "%s", name);
	for (number = 2; is_taken(shown, whole); number++)
		snprintf(whole, sizeof(whole), "%s#%zu", name, number);
	return strdup(whole);
}

static int compare_cpus(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int list_cpus(struct strata_shown_source *source, const struct strata_ctf_trace *trace)
{
	uint32_t *cpus = malloc((trace->nr_streams + 1) * sizeof(*cpus));
	size_t i, nr = 0;

	if (!cpus)
		return -1;
	for (i = 0; i < trace->nr_streams; i++) {
		const struct strata_ctf_stream *stream = &trace->streams[i];

		if (stream->has_cpu && stream->cpu < STRATA_SHOWN_UNKNOWN)
			cpus[nr++] = (uint32_t)stream->cpu;
	}
	qsort(cpus, nr, sizeof(*cpus), compare_cpus);
	for (i = 0; i < nr; i++) {
		if (source->nr_cpus == 0 || cpus[i] != cpus[source->nr_cpus - 1])
			cpus[source->nr_cpus++] = cpus[i];
	}
	source->cpus = cpus;
	return 0;
}

/* Names of domains ---------------------------------------------------------------------------- */

static void add_domain_name(void *data, uint32_t domain, const char *name)
{
	char **names = data;
	char shown[SOURCE_NAME_BYTES];

	if (!names[domain])
		names[domain] = strdup(strata_escape_name(shown, sizeof(shown), name));
}

/* Names the domains of a trace's host, shared by all traces of that host. Returns 0 or -1. */
static int name_domains(struct strata_shown *shown, size_t at)
{
	const struct strata_ctf_trace *trace = shown->set->traces[at];
	char **names;
	size_t i;

	for (i = 0; i < shown->nr_hosts; i++) {
		if (strata_is_same_host(shown->set->traces[shown->hosts[i]], trace)) {
			shown->domain_names[at] = shown->domain_names[shown->hosts[i]];
			return 0;
		}
	}
	names = calloc(STRATA_SHOWN_DOMAINS, sizeof(*names));
	if (!names)
		return -1;
	shown->domain_names[at] = names;
	shown->hosts[shown->nr_hosts++] = at;
	strata_domain_names(shown->set, trace, add_domain_name, names);
	return 0;
}

static void clear_domain_names(struct strata_shown *shown)
{
	size_t i, j;

	for (i = 0; i < shown->nr_hosts; i++) {
		char **names = shown->domain_names[shown->hosts[i]];

		for (j = 0; j < STRATA_SHOWN_DOMAINS; j++)
			free(names[j]);
		free(names);
	}
	free(shown->domain_names);
	free(shown->hosts);
}

/* Sources ------------------------------------------------------------------------------------- */

static bool knows_places(const struct strata_place *places, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (places[i].knows_any)
			return true;
	}
	return false;
}

static int add_source(struct strata_shown *shown, const struct strata_ctf_trace *trace)
{
	struct strata_shown_source *source = &shown->sources[shown->nr_sources];
	const struct strata_place *place = shown->places[shown->nr_sources];

	source->name = make_name(shown, trace);
	if (!source->name ||
	    strata_id_map_add(&shown->taken, identity_of(source->name), (char *)source->name) ||
	    list_cpus(source, trace)) {
		free((char *)source->name);
		return -1;
	}
	source->layer = trace->metadata.nr_streams ? place->layer : "";
	source->domain = STRATA_SHOWN_UNKNOWN;
	if (trace->metadata.nr_streams && place->domain.in == STRATA_PLACE_FIXED)
		source->domain = place->domain.fixed;
	source->knows_places = knows_places(place, trace->metadata.nr_streams);
	if (source->knows_places && name_domains(shown, shown->nr_sources)) {
		free((char *)source->name);
		free((uint32_t *)source->cpus);
		return -1;
	}
	source->domain_names = (const char *const *)shown->domain_names[shown->nr_sources];
	source->bound_ns = UINT64_MAX;
	source->metadata = &trace->metadata;
	source->hostname = strata_ctf_env_text(trace, "hostname");
	source->procname = strata_ctf_env_text(trace, "procname");
	source->has_pid = strcmp(source->layer, "app") == 0 &&
			  strata_ctf_env_number(trace, "pid", &source->pid);
	/* The environment has the process's name as "domain". */
	source->process = source->has_pid ? strata_ctf_env_text(trace, "domain") : NULL;
	source->has_vpid = strata_ctf_env_number(trace, "vpid", &source->vpid);
	shown->nr_sources++;
	return 0;
}

/* Whether a field contains only the packet's position, size or time; the same list as
 * babeltrace2's. */
static bool is_bookkeeping(const struct strata_ctf_field *field)
{
	const struct strata_ctf_type *type = field->type;

	if (!strata_ctf_is_integer(type))
		return false;
	if (type->slot != STRATA_CTF_NO_SLOT)
		return false;
	return type->roles || type->clock != STRATA_CTF_NO_CLOCK;
}

static int hide(struct strata_shown_hidden *hidden, const struct strata_ctf_type *context)
{
	size_t i;

	if (!context)
		return 0;
	hidden->fields = calloc(context->nr_fields + 1, sizeof(*hidden->fields));
	if (!hidden->fields)
		return -1;
	for (i = 0; i < context->nr_fields; i++)
		hidden->fields[i] = is_bookkeeping(&context->fields[i]);
	while (hidden->first < context->nr_fields && hidden->fields[hidden->first])
		hidden->first++;
	return 0;
}

/* Finds the fields of events' contexts from which a place is read. */
static uint64_t find_place_fields(const struct strata_place *place,
				  const struct strata_ctf_type *context)
{
	const struct {
		const char *name;
		bool is_read;
	} places[] = { { "domain", place->domain.in == STRATA_PLACE_FIELD },
		       { "vcpu", place->vcpu.in == STRATA_PLACE_FIELD },
		       { "pcpu", place->pcpu.in == STRATA_PLACE_FIELD } };
	uint64_t fields = 0;
	size_t i, j;

	for (i = 0; context && i < context->nr_fields && i < 64; i++) {
		for (j = 0; j < sizeof(places) / sizeof(places[0]); j++) {
			if (places[j].is_read &&
			    strcmp(context->fields[i].name, places[j].name) == 0)
				fields |= 1ull << i;
		}
	}
	return fields;
}

/* Finds where each kind of stream of the trace has the places of its events. Returns 0, or -1. */
static int find_places(struct strata_shown *shown, size_t at)
{
	const struct strata_ctf_trace *trace = shown->set->traces[at];
	const size_t nr = trace->metadata.nr_streams;
	size_t i;

	shown->places[at] = strata_ctf_arena_get(shown->arena, nr, sizeof(**shown->places));
	shown->place_fields[at] =
		strata_ctf_arena_get(shown->arena, nr, sizeof(**shown->place_fields));
	if (!shown->places[at] || !shown->place_fields[at])
		return -1;
	for (i = 0; i < nr; i++) {
		if (strata_place_find(&shown->places[at][i], trace, i, shown->arena))
			return -1;
		shown->place_fields[at][i] = find_place_fields(
			&shown->places[at][i], trace->metadata.streams[i].event_context);
	}
	return 0;
}

int strata_shown_init(struct strata_shown *shown, const struct strata_trace_set *set,
		      struct strata_error *error)
{
	size_t i, j;

	memset(shown, 0, sizeof(*shown));
	if (strata_domain_names_set(set, error))
		return -1;
	shown->set = set;
	shown->sources = calloc(set->nr_traces + 1, sizeof(*shown->sources));
	shown->hidden = calloc(set->nr_traces + 1, sizeof(*shown->hidden));
	shown->domain_names = calloc(set->nr_traces + 1, sizeof(*shown->domain_names));
	shown->hosts = calloc(set->nr_traces + 1, sizeof(*shown->hosts));
	shown->arena = strata_ctf_arena_new(SIZE_MAX);
	if (!shown->sources || !shown->hidden || !shown->domain_names || !shown->hosts ||
	    !shown->arena || strata_holders_find(&shown->holders, set))
		goto no_memory;
	shown->places = strata_ctf_arena_get(shown->arena, set->nr_traces, sizeof(*shown->places));
	shown->place_fields =
		strata_ctf_arena_get(shown->arena, set->nr_traces, sizeof(*shown->place_fields));
	if (!shown->places || !shown->place_fields)
		goto no_memory;
	for (i = 0; i < set->nr_traces; i++) {
		const struct strata_ctf_metadata *metadata = &set->traces[i]->metadata;

		shown->hidden[i] = calloc(metadata->nr_streams + 1, sizeof(**shown->hidden));
		if (!shown->hidden[i] || find_places(shown, i) || add_source(shown, set->traces[i]))
			goto no_memory;
		for (j = 0; j < metadata->nr_streams; j++) {
			if (hide(&shown->hidden[i][j], metadata->streams[j].packet_context))
				goto no_memory;
		}
	}
	return 0;
no_memory:
	strata_shown_clear(shown);
	return strata_fail(error, "out of memory for %zu traces", set->nr_traces);
}

void strata_shown_clear(struct strata_shown *shown)
{
	size_t i, j;

	for (i = 0; i < shown->nr_sources; i++) {
		free((char *)shown->sources[i].name);
		free((uint32_t *)shown->sources[i].cpus);
	}
	for (i = 0; shown->hidden && i < shown->set->nr_traces; i++) {
		const size_t nr = shown->set->traces[i]->metadata.nr_streams;

		for (j = 0; shown->hidden[i] && j < nr; j++)
			free(shown->hidden[i][j].fields);
		free(shown->hidden[i]);
	}
	clear_domain_names(shown);
	strata_id_map_clear(&shown->taken);
	free(shown->hidden);
	free(shown->sources);
	strata_ctf_arena_free(shown->arena);
	strata_holders_clear(&shown->holders);
	memset(shown, 0, sizeof(*shown));
}

void strata_shown_path_init(struct strata_shown_path *path, const struct strata_ctf_stream *stream)
{
	const struct strata_recorded_stream *recorded = strata_recording_traces_stream(stream);

	memset(path, 0, sizeof(*path));
	if (recorded && recorded->source->layer != STRATA_LAYER_XEN)
		path->recorded = recorded;
}

bool strata_shown_path_is_known(struct strata_shown_path *path)
{
	const struct strata_recorded_stream *recorded = path->recorded;
	const struct strata_vcpu_places *places = recorded ? &recorded->host->scan.places : NULL;

	if (places && path->settled != places->settled) {
		path->path = strata_vcpu_places_of(places, (uint16_t)recorded->source->domain,
						   (uint16_t)recorded->cpu);
		path->settled = places->settled;
		path->at = 0;
	}
	return path->path.nr > 0;
}

int strata_shown_view_init(struct strata_shown_view *view, const struct strata_shown *shown)
{
	const struct strata_trace_set *set = shown->set;
	size_t i;

	view->shown = shown;
	view->copies = calloc(set->nr_streams + 1, sizeof(*view->copies));
	view->paths = calloc(set->nr_streams + 1, sizeof(*view->paths));
	if (!view->copies || !view->paths) {
		strata_shown_view_clear(view);
		return -1;
	}
	for (i = 0; i < set->nr_streams; i++)
		strata_shown_path_init(&view->paths[i], set->streams[i].stream);
	return 0;
}

void strata_shown_view_clear(struct strata_shown_view *view)
{
	size_t i;

	for (i = 0; view->copies && i < view->shown->set->nr_streams; i++) {
		free(view->copies[i].head.bytes);
		strata_buffer_free(&view->copies[i].memo);
	}
	free(view->copies);
	free(view->paths);
	view->copies = NULL;
	view->paths = NULL;
}

/* Finds the first field of the packet that is shown. */
static bool find_fields(struct strata_shown_copy *copy, struct strata_ctf_reader *reader)
{
	struct strata_ctf_cursor *cursor = &copy->packet.cursor;
	size_t i;

	if (!strata_ctf_packet_head_read(&copy->head, reader, cursor))
		return false;
	for (i = 0; i < copy->packet.first; i++) {
		if (!strata_ctf_skip(cursor, copy->packet.type->fields[i].type))
			return false;
	}
	return true;
}

static void set_packet(struct strata_shown_view *view, size_t stream,
		       struct strata_ctf_reader *reader)
{
	const struct strata_ctf_stream_class *class = reader->kind->class;
	const struct strata_shown_hidden *hidden =
		&view->shown->hidden[view->shown->set->streams[stream].trace][class->index];
	struct strata_shown_copy *copy = &view->copies[stream];

	copy->is_set = true;
	copy->offset = reader->packet.offset;
	copy->packet.type = class->packet_context;
	copy->packet.hidden = hidden->fields;
	copy->packet.first = hidden->first;
	copy->packet.memo = &copy->memo;
	copy->memo.used = 0;
	if (!copy->packet.type)
		return;
	/* A structure without fields is shown as empty. */
	if ((hidden->first == copy->packet.type->nr_fields && hidden->first > 0) ||
	    !find_fields(copy, reader))
		copy->packet.type = NULL;
}

void strata_shown_place(struct strata_shown_event *shown)
{
	const struct strata_place *place = shown->place;

	if (place->domain.in == STRATA_PLACE_FIELD)
		shown->domain = strata_place_read_field(&place->domain, &shown->cursor);
	if (place->vcpu.in == STRATA_PLACE_FIELD)
		shown->vcpu = strata_place_read_field(&place->vcpu, &shown->cursor);
}

/* What the tie of the trace's clock adds to the bounds of its times. */
static uint64_t run_bound_ns(const struct strata_shown *shown,
			     const struct strata_ctf_reader *reader, size_t trace)
{
	return reader->stream->trace->times_are_tied ? reader->stream->trace->own_bound_ns
						     : shown->sources[trace].bound_ns;
}

void strata_shown_lose(const struct strata_shown *shown, size_t stream,
		       const struct strata_ctf_reader *reader, const struct strata_loss *loss,
		       struct strata_shown_loss *lost)
{
	const size_t trace = shown->set->streams[stream].trace;

	lost->loss = loss;
	lost->has_time = reader->kind->has_time;
	lost->source = shown->sources[trace].name;
	lost->source_index = trace;
	lost->layer = shown->places[trace][reader->kind->class->index].layer;
	lost->cpu = strata_place_cpu(reader->packet.has_cpu, reader->packet.cpu);
	lost->stream = reader->stream->name;
	lost->bound_ns = strata_ctf_add_clamped(loss->bound_ns, run_bound_ns(shown, reader, trace));
}

/* Sets what all events of the reader's packet have in common. */
static void set_event(struct strata_shown_view *view, size_t stream,
		      const struct strata_ctf_reader *reader)
{
	const size_t trace = view->shown->set->streams[stream].trace;
	const struct strata_shown_source *source = &view->shown->sources[trace];
	const struct strata_place *place = &view->shown->places[trace][reader->kind->class->index];
	struct strata_shown_copy *copy = &view->copies[stream];
	struct strata_shown_event *shown = &copy->event;

	shown->has_time = reader->kind->has_time;
	shown->run_bound_ns = run_bound_ns(view->shown, reader, trace);
	shown->clock_group = reader->stream->trace->clock_group;
	shown->source = source->name;
	shown->source_index = trace;
	shown->layer = place->layer;
	shown->cpu = strata_place_cpu(reader->packet.has_cpu, reader->packet.cpu);
	shown->place = place->has_fields ? place : NULL;
	shown->place_fields = view->shown->place_fields[trace][reader->kind->class->index];
	shown->has_pcpu = reader->kind->header.has_bound && place->pcpu.in == STRATA_PLACE_NOWHERE;
	shown->pcpu = shown->domain = shown->vcpu = STRATA_SHOWN_UNKNOWN;
	if (place->knows_any) {
		shown->pcpu = strata_place_read(&place->pcpu, shown->cpu, NULL);
		shown->domain = strata_place_read(&place->domain, shown->cpu, NULL);
		shown->vcpu = strata_place_read(&place->vcpu, shown->cpu, NULL);
	}
	copy->pcpu = shown->pcpu;
	shown->late = false;
	shown->packet = copy->packet;
	shown->types[0] = reader->kind->class->event_context;
}

struct strata_shown_event *strata_shown_run(struct strata_shown_view *view, size_t stream,
					    struct strata_ctf_reader *reader)
{
	struct strata_shown_copy *copy = &view->copies[stream];
	struct strata_shown_path *path = &view->paths[stream];

	if (!copy->is_set || copy->offset != reader->packet.offset) {
		set_packet(view, stream, reader);
		set_event(view, stream, reader);
	}
	copy->event.path = path->recorded && strata_shown_path_is_known(path) ? path : NULL;
	copy->event.pcpu = copy->pcpu;
	return &copy->event;
}
