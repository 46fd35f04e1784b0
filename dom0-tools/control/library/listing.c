// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * listing.c - see listing.h and <strata/control_client.h>.
 *
 * A reply may be hostile: each member is checked, and absent ones are zero or "".  The strings of
 * the structures belong to the reply, which the handle holds as long as them.
 */
#include "control/library/listing.h"

#include <limits.h>
#include <stdlib.h>

#include "base/json_members.h"
#include "control/library/reply_members.h"

/* Memory of a listing: all of it is freed together. */
struct block {
	struct block *next;
	max_align_t bytes[];
};

struct listing {
	struct strata_listing public;
	struct strata_listed_hypervisor hypervisor;
	struct block *blocks;
};

static void *allocate(struct listing *listing, size_t nr, size_t bytes, struct strata_error *error)
{
	struct block *block = NULL;

	if (nr < (SIZE_MAX - sizeof(*block)) / bytes)
		block = calloc(1, sizeof(*block) + nr * bytes);
	if (!block) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	block->next = listing->blocks;
	listing->blocks = block;
	return block->bytes;
}

void listing_free(struct strata_control *control)
{
	struct listing *listing = control->listing;

	control->listing = NULL;
	while (listing && listing->blocks) {
		struct block *block = listing->blocks;

		listing->blocks = block->next;
		free(block);
	}
	free(listing);
}

/* Reads an object into a structure that was cleared.  0 or -1. */
typedef int read_entry(struct listing *listing, struct json_object *object, void *entry,
		       struct strata_error *error);

/*
 * Reads an array of objects into structures.
 * @bytes: of a structure
 * @nr:    OUT, how many
 * Returns an array of pointers to them, of the listing.  NULL with the reason.
 */
static void *read_list(struct listing *listing, struct json_object *object, const char *key,
		       size_t bytes, read_entry *read, size_t *nr, struct strata_error *error)
{
	struct json_object *list;
	char *entries;
	void **places;
	size_t i;

	if (reply_objects(object, key, &list, nr, error))
		return NULL;
	entries = allocate(listing, *nr, bytes, error);
	places = allocate(listing, *nr, sizeof(*places), error);
	if (!entries || !places)
		return NULL;
	for (i = 0; i < *nr; i++) {
		places[i] = entries + i * bytes;
		if (read(listing, json_object_array_get_idx(list, i), places[i], error)) {
			strata_fail_in(error, "%s %zu", key, i);
			return NULL;
		}
	}
	return places;
}

static int read_u32(struct json_object *object, const char *key, uint32_t *value,
		    struct strata_error *error)
{
	uint64_t number;

	if (reply_number(object, key, UINT32_MAX, &number, error))
		return -1;
	*value = (uint32_t)number;
	return 0;
}

static int read_field(struct listing *listing, struct json_object *object, void *entry,
		      struct strata_error *error)
{
	struct strata_listed_field *field = entry;

	(void)listing;
	if (reply_text(object, "name", &field->name, error) ||
	    reply_text(object, "type", &field->type, error) ||
	    read_u32(object, "count", &field->count, error))
		return -1;
	if (!strata_json_has(object, "count"))
		field->count = 1;
	return 0;
}

static int read_event(struct listing *listing, struct json_object *object, void *entry,
		      struct strata_error *error)
{
	struct strata_listed_event *event = entry;

	if (reply_text(object, "name", &event->name, error) ||
	    reply_text(object, "group", &event->group, error) ||
	    reply_text(object, "class", &event->xen_class, error) ||
	    reply_text(object, "loglevel", &event->loglevel, error) ||
	    reply_text(object, "format", &event->format, error))
		return -1;
	event->fields = read_list(listing, object, "fields", sizeof(**event->fields), read_field,
				  &event->nr_fields, error);
	return event->fields ? 0 : -1;
}

static int read_class(struct listing *listing, struct json_object *object, void *entry,
		      struct strata_error *error)
{
	struct strata_listed_class *class = entry;

	(void)listing;
	return reply_text(object, "name", &class->name, error) ||
			       reply_text(object, "what", &class->what, error)
		       ? -1
		       : 0;
}

static int read_channel(struct listing *listing, struct json_object *object, void *entry,
			struct strata_error *error)
{
	struct strata_listed_channel *channel = entry;

	(void)listing;
	return read_u32(object, "channel", &channel->channel, error) ||
			       reply_text(object, "state", &channel->state, error) ||
			       reply_text(object, "owner", &channel->owner, error) ||
			       reply_number(object, "refused", UINT64_MAX, &channel->refused, error)
		       ? -1
		       : 0;
}

static int read_hypervisor(struct listing *listing, struct json_object *object,
			   struct strata_error *error)
{
	struct strata_listed_hypervisor *to = &listing->hypervisor;

	if (reply_text(object, "version", &to->version, error) ||
	    read_u32(object, "abi", &to->abi, error) ||
	    read_u32(object, "cpus", &to->cpus, error) ||
	    read_u32(object, "tsc_khz", &to->tsc_khz, error))
		return -1;
	to->channels = read_list(listing, object, "channels", sizeof(**to->channels), read_channel,
				 &to->nr_channels, error);
	to->classes = read_list(listing, object, "classes", sizeof(**to->classes), read_class,
				&to->nr_classes, error);
	to->events = read_list(listing, object, "events", sizeof(**to->events), read_event,
			       &to->nr_events, error);
	listing->public.hypervisor = to;
	return to->channels && to->classes && to->events ? 0 : -1;
}

static int read_domain(struct listing *listing, struct json_object *object, void *entry,
		       struct strata_error *error)
{
	struct strata_listed_domain *domain = entry;

	if (read_u32(object, "domain", &domain->domain, error) ||
	    reply_text(object, "name", &domain->name, error) ||
	    reply_text(object, "why_not", &domain->why_not, error) ||
	    read_u32(object, "version", &domain->version, error) ||
	    reply_text(object, "state", &domain->state, error) ||
	    read_u32(object, "rings", &domain->rings, error) ||
	    reply_number(object, "ring_bytes", UINT64_MAX, &domain->ring_bytes, error) ||
	    read_u32(object, "nr_events", &domain->all_events, error))
		return -1;
	domain->channels = read_list(listing, object, "channels", sizeof(**domain->channels),
				     read_channel, &domain->nr_channels, error);
	domain->events = read_list(listing, object, "events", sizeof(**domain->events), read_event,
				   &domain->nr_events, error);
	return domain->channels && domain->events ? 0 : -1;
}

/* The members of an application tell how far it came. */
static int read_answer(struct json_object *object, enum strata_listed_answer *answer,
		       struct strata_error *error)
{
	bool answers;

	if (reply_truth(object, "answers", &answers, error))
		return -1;
	if (!strata_json_has(object, "name"))
		*answer = STRATA_LISTED_UNSEEN;
	else if (!strata_json_has(object, "answers"))
		*answer = STRATA_LISTED_NOT_ASKED;
	else
		*answer = answers ? STRATA_LISTED_ANSWERED : STRATA_LISTED_SILENT;
	return 0;
}

static int read_application(struct listing *listing, struct json_object *object, void *entry,
			    struct strata_error *error)
{
	struct strata_listed_application *app = entry;
	uint64_t pid;

	if (reply_number(object, "pid", INT_MAX, &pid, error) ||
	    read_answer(object, &app->answer, error) ||
	    reply_text(object, "name", &app->name, error) ||
	    read_u32(object, "uid", &app->uid, error) ||
	    read_u32(object, "nr_events", &app->all_events, error))
		return -1;
	app->pid = (int)pid;
	app->events = read_list(listing, object, "events", sizeof(**app->events), read_event,
				&app->nr_events, error);
	return app->events ? 0 : -1;
}

int listing_read(struct strata_control *control, struct strata_error *error)
{
	struct listing *listing = control->listing = calloc(1, sizeof(*listing));
	struct json_object *reply = control->reply, *hypervisor;
	struct strata_listing *to;

	if (!listing)
		return strata_fail(error, "out of memory");
	to = &listing->public;
	if (json_object_object_get_ex(reply, "hypervisor", &hypervisor)) {
		if (!json_object_is_type(hypervisor, json_type_object))
			return strata_fail(error, "\"hypervisor\" is not an object");
		if (read_hypervisor(listing, hypervisor, error))
			return strata_fail_in(error, "hypervisor");
	}
	to->domains = read_list(listing, reply, "domains", sizeof(**to->domains), read_domain,
				&to->nr_domains, error);
	to->applications = read_list(listing, reply, "applications", sizeof(**to->applications),
				     read_application, &to->nr_applications, error);
	return to->domains && to->applications ? 0 : -1;
}

const struct strata_listing *strata_control_listing(const struct strata_control *control)
{
	return control->listing ? &control->listing->public : NULL;
}
