// SPDX-License-Identifier: GPL-2.0-or-later
/* guest.c - see guest.h. */
#include "consumerd/xen/guest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/abi/guest.h>

#define PATH_BYTES 128

/* Copies a node's value, cut to fit.  False: no such node. */
static bool read_text(struct xs_handle *xenstore, const char *path, char *to, size_t bytes)
{
	unsigned int length = 0;
	char *value = xs_read(xenstore, XBT_NULL, path, &length);
	size_t copied;

	if (!value)
		return false;
	copied = strnlen(value, length);
	if (copied >= bytes)
		copied = bytes - 1;
	memcpy(to, value, copied);
	to[copied] = '\0';
	free(value);
	return true;
}

/* Channel 0 has its nodes beside that of the version, the others in directories below. */
static void name_node(char path[PATH_BYTES], uint32_t domain, uint32_t channel, const char *node)
{
	if (channel)
		snprintf(path, PATH_BYTES, "/local/domain/%u/" STRATA_GUEST_XENSTORE_DIR "/%u/%s",
			 domain, channel, node);
	else
		snprintf(path, PATH_BYTES, "/local/domain/%u/" STRATA_GUEST_XENSTORE_DIR "/%s",
			 domain, node);
}

static bool read_node(struct xs_handle *xenstore, uint32_t domain, uint32_t channel,
		      const char *node, char *to, size_t bytes)
{
	char path[PATH_BYTES];

	name_node(path, domain, channel, node);
	return read_text(xenstore, path, to, bytes);
}

/* Reads a node that must be a number: only digits, no sign, no space. */
static bool read_number(struct xs_handle *xenstore, uint32_t domain, uint32_t channel,
			const char *node, int base, uint64_t limit, uint64_t *number)
{
	const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
	char text[32];

	if (!read_node(xenstore, domain, channel, node, text, sizeof(text)) || !text[0] ||
	    strlen(text) == sizeof(text) - 1 || text[strspn(text, digits)])
		return false;
	errno = 0;
	*number = strtoull(text, NULL, base);
	return !errno && *number <= limit;
}

/* Splits "started 17" into state and number; without a valid number it answers no command. */
static void take_state(struct guest *guest)
{
	size_t length = strcspn(guest->state, " ");
	unsigned long number;
	char *end;

	guest->answered = 0;
	if (!guest->state[length])
		return;
	guest->state[length] = '\0';
	errno = 0;
	number = strtoul(guest->state + length + 1, &end, 10);
	if (!errno && !*end && number <= UINT32_MAX)
		guest->answered = (uint32_t)number;
}

static bool read_state(struct xs_handle *xenstore, struct guest *guest)
{
	if (!read_node(xenstore, guest->domain, guest->channel, "state", guest->state,
		       sizeof(guest->state)))
		return false;
	take_state(guest);
	guest->reason[0] = '\0';
	if (!strcmp(guest->state, "refused"))
		read_node(xenstore, guest->domain, guest->channel, "reason", guest->reason,
			  sizeof(guest->reason));
	return true;
}

/*
 * Reads what the module publishes of the channel's rings.
 *
 * The state is read first.  The module writes "created N" after the nodes of the rings that it
 * made, so a look that sees this answer sees those rings.  Rings that were published meanwhile,
 * without a state before, have "idle" since the same transaction.
 */
static enum guest_module look_at_rings(struct xs_handle *xenstore, struct guest *guest)
{
	const uint32_t channel = guest->channel;
	const bool has_state = read_state(xenstore, guest);
	uint64_t root_ref, port;

	guest->nonce = guest->module_nonce;
	if (!read_number(xenstore, guest->domain, channel, "root-ref", 10, UINT32_MAX, &root_ref))
		return channel ? GUEST_NO_RINGS : GUEST_BROKEN;
	if (!read_number(xenstore, guest->domain, channel, "event-channel", 10, UINT32_MAX,
			 &port) ||
	    (channel && !read_number(xenstore, guest->domain, channel, "nonce", 16, UINT64_MAX,
				     &guest->nonce)) ||
	    (!has_state && !read_state(xenstore, guest)))
		return GUEST_BROKEN;
	guest->root_ref = (uint32_t)root_ref;
	guest->port = (uint32_t)port;
	return GUEST_READY;
}

static void look_at_module(struct xs_handle *xenstore, struct guest *guest)
{
	uint64_t version;

	if (!read_number(xenstore, guest->domain, 0, "version", 10, UINT32_MAX, &version)) {
		guest->module = GUEST_NO_MODULE;
		return;
	}
	guest->version = (uint32_t)version;
	if (version != STRATA_GUEST_ABI_VERSION) {
		guest->module = GUEST_OTHER_ABI;
		return;
	}
	guest->module = GUEST_BROKEN;
	if (!read_number(xenstore, guest->domain, 0, "nonce", 16, UINT64_MAX, &guest->module_nonce))
		return;
	guest->module = look_at_rings(xenstore, guest);
	/* The module removes the nodes of a channel one by one before it publishes new ones. */
	if (guest->module == GUEST_BROKEN && guest->channel)
		guest->module = look_at_rings(xenstore, guest);
}

bool guest_read_name(struct xs_handle *xenstore, uint32_t domain, char name[GUEST_NAME_BYTES])
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "/local/domain/%u/name", domain);
	if (read_text(xenstore, path, name, GUEST_NAME_BYTES))
		return true;
	snprintf(name, GUEST_NAME_BYTES, "domain-%u", domain);
	return false;
}

void guest_look(struct xs_handle *xenstore, uint32_t domain, uint32_t channel, struct guest *guest)
{
	memset(guest, 0, sizeof(*guest));
	guest->domain = domain;
	guest->channel = channel;
	/* The module first: a domain disappears with all of its nodes, so if the module's nodes are
	 * gone and the domain still has a name after that, the module was unloaded. */
	look_at_module(xenstore, guest);
	guest->named = guest_read_name(xenstore, domain, guest->name);
}

static int by_domain(const void *a, const void *b)
{
	const struct guest *first = a, *second = b;

	return (first->domain > second->domain) - (first->domain < second->domain);
}

int guests_find(struct xs_handle *xenstore, uint32_t channel, struct guest **guests, size_t *nr,
		struct strata_error *error)
{
	unsigned int nr_domains = 0, i;
	char **domains = xs_directory(xenstore, XBT_NULL, "/local/domain", &nr_domains);
	struct guest *list;

	if (!domains)
		return strata_fail(error, "xenstore lists no domains: %s; is xenstored running?",
				   strerror(errno));
	list = calloc(nr_domains ? nr_domains : 1, sizeof(*list));
	if (!list) {
		free(domains);
		return strata_fail(error, "out of memory");
	}
	for (i = 0; i < nr_domains; i++)
		guest_look(xenstore, (uint32_t)strtoul(domains[i], NULL, 10), channel, &list[i]);
	free(domains);
	qsort(list, nr_domains, sizeof(*list), by_domain);
	*guests = list;
	*nr = nr_domains;
	return 0;
}

int guest_tell(struct xs_handle *xenstore, uint32_t domain, uint32_t channel,
	       const struct guest_command *command, struct strata_error *error)
{
	char path[PATH_BYTES], version[32];

	/* Writing for a destroyed domain would create its nodes again, and nothing would remove
	 * them. */
	if (!read_node(xenstore, domain, 0, "version", version, sizeof(version)))
		return strata_fail(error, "its module is gone");
	name_node(path, domain, channel, "ctl");
	if (!xs_write(xenstore, XBT_NULL, path, command->text, (unsigned int)strlen(command->text)))
		return strata_fail(error, "writing %s: %s", path, strerror(errno));
	return 0;
}

void guest_command_create(struct guest_command *command, uint32_t sequence)
{
	snprintf(command->text, sizeof(command->text), "create %u", sequence);
}

void guest_command_aggregate(struct guest_command *command, uint32_t sequence,
			     const struct strata_aggregate_spec *spec)
{
	if (spec->kind == STRATA_AGGREGATE_COUNT)
		snprintf(command->text, sizeof(command->text), "aggregate %u count %u", sequence,
			 spec->row_bits);
	else
		snprintf(command->text, sizeof(command->text), "aggregate %u time %u %u %u",
			 sequence, spec->row_bits, spec->begin.value, spec->end.value);
}

int guest_command_start(struct guest_command *command, uint32_t sequence,
			const struct guest_start *start, struct strata_error *error)
{
	static const char *const forms[STRATA_NR_HEADER_FORMS] = { "", "+compact", "+large" };
	char mask[EVENT_SET_HEX_BYTES], contexts[sizeof(" contexts=ffffffff")] = "";
	const char *fields = start->field_filters ? start->field_filters : "";
	int length;

	if (start->contexts)
		snprintf(contexts, sizeof(contexts), " contexts=%x", start->contexts);
	length = snprintf(command->text, sizeof(command->text), "start %u %s%s %u %s%s%s%s%s",
			  sequence, start->overwrite ? "overwrite" : "discard", forms[start->form],
			  start->switch_ms, event_set_hex(start->events, mask), contexts,
			  start->filter ? " " : "", start->filter ? start->filter : "", fields);
	if (length >= (int)sizeof(command->text))
		return strata_fail(error,
				   "the filters of its events need %d bytes of a command, %d too "
				   "many: use fewer or shorter ones",
				   length, length - (int)sizeof(command->text) + 1);
	return 0;
}

int guest_command_probe(struct guest_command *command, uint32_t sequence,
			const struct guest_probe *probe, struct strata_error *error)
{
	if (snprintf(command->text, sizeof(command->text), "%s %u %s %s", probe->kind, sequence,
		     probe->name, probe->place) >= (int)sizeof(command->text))
		return strata_fail(error, "the probe is too long: %.40s...", probe->place);
	return 0;
}

void guest_command_counter(struct guest_command *command, uint32_t sequence, uint32_t type,
			   uint64_t config)
{
	snprintf(command->text, sizeof(command->text), "counter %u %x %" PRIx64, sequence, type,
		 config);
}

void guest_command_flush(struct guest_command *command, uint32_t sequence)
{
	snprintf(command->text, sizeof(command->text), "flush %u", sequence);
}

void guest_command_stop(struct guest_command *command, uint32_t sequence)
{
	snprintf(command->text, sizeof(command->text), "stop %u", sequence);
}

void guest_command_destroy(struct guest_command *command, uint32_t sequence)
{
	snprintf(command->text, sizeof(command->text), "destroy %u", sequence);
}

bool guest_may_record(const struct guest *guest)
{
	return strcmp(guest->state, "idle") != 0 && strcmp(guest->state, "created") != 0 &&
	       strcmp(guest->state, "stopped") != 0;
}
