// SPDX-License-Identifier: GPL-2.0-or-later
/* app.c - see app.h. */
#include "consumerd/apps/app.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumerd/rings/app_ring.h"
#include "consumerd/rings/event_table.h"
#include "consumerd/host/hang_up.h"
#include "recording/recording.h"

int app_accept(struct app *app, int socket, struct strata_error *error)
{
	memset(app, 0, sizeof(*app));
	app->memory.file = app->memory.given = app->process = app->ready.fd = -1;
	app->socket = socket;
	return peer_process(socket, &app->pid, &app->uid, error);
}

int app_identify(struct app *app, const struct peer_names *names, struct strata_error *error)
{
	struct peer peer;

	app->pid = 0;
	if (peer_identify(app->socket, names, &peer, error))
		return -1;
	app->process = peer.process;
	/* Only a child of it could have the other end open, and libstrata's children do not. */
	if (peer.ended)
		return strata_fail(error, "process %d has ended", peer.pid);
	app->pid = peer.pid;
	app->uid = peer.uid;
	app->starter = peer.starter;
	memcpy(app->comm, peer.comm, sizeof(app->comm));
	memcpy(app->program, peer.program, sizeof(app->program));
	app->of_command = peer.descends;
	if (peer.changed)
		return strata_fail(error,
				   "process %d changed its user since it connected, so the user "
				   "who started it is unknown",
				   peer.pid);
	return 0;
}

void app_begin_message(struct app_outgoing *outgoing, enum strata_app_message_type type,
		       size_t bytes)
{
	memset(outgoing, 0, sizeof(*outgoing));
	outgoing->fd = -1;
	outgoing->bytes = bytes;
	outgoing->packet.head.magic = STRATA_APP_MAGIC;
	outgoing->packet.head.version = STRATA_APP_ABI_VERSION;
	outgoing->packet.head.type = (uint16_t)type;
}

uint32_t app_cpus_max(void)
{
	static uint32_t known;

	if (!known) {
		long nr = sysconf(_SC_NPROCESSORS_CONF);

		known = nr < 1 || nr > STRATA_APP_RINGS_MAX ? STRATA_APP_RINGS_MAX : (uint32_t)nr;
	}
	return known;
}

static int take_hello(struct app *app, const struct strata_app_message *head,
		      struct strata_error *error)
{
	if (app->modes || app->nr_events)
		return strata_fail(error, "it sent HELLO twice");
	if (!head->value || head->value & ~STRATA_APP_WRITE_MODES)
		return strata_fail(error, "its rings are of the unknown kinds %#x", head->value);
	if (head->count < 1 || head->count > app_cpus_max())
		return strata_fail(error, "it claims %u CPUs, but this machine has %u", head->count,
				   app_cpus_max());
	app->modes = head->value;
	app->nr_cpus = head->count;
	app->header_forms = head->headers & (uint8_t)~STRATA_APP_WAKES;
	app->wakes = head->headers & STRATA_APP_WAKES;
	return 0;
}

static int take_event(struct app *app, const struct strata_app_packet *packet, size_t bytes,
		      struct strata_error *error)
{
	struct strata_event_desc **events, event = { 0 };

	if (!app->modes)
		return strata_fail(error, "it did not send HELLO");
	if (app->nr_events == STRATA_APP_EVENTS_MAX)
		return strata_fail(error, "more than %u events", STRATA_APP_EVENTS_MAX);
	events = reallocarray(app->events, app->nr_events + 1, sizeof(*events));
	if (!events)
		return strata_fail(error, "out of memory");
	app->events = events;
	if (!event_table_parse_entry((const unsigned char *)&packet->u.event,
				     bytes - sizeof(packet->head), app->nr_events, &event, error))
		return -1;
	events[app->nr_events] = strata_event_copy(&event);
	if (!events[app->nr_events])
		return strata_fail(error, "out of memory");
	app->event_bytes += sizeof(*events) + strata_event_packed_bytes(&event);
	app->nr_events++;
	return 0;
}

static enum app_news take_message(struct app *app, const struct strata_app_packet *packet,
				  size_t bytes, struct strata_error *error)
{
	switch (packet->head.type) {
	case STRATA_APP_HELLO:
		return take_hello(app, &packet->head, error) ? APP_GONE : APP_NO_NEWS;
	case STRATA_APP_EVENT:
		return take_event(app, packet, bytes, error) ? APP_GONE : APP_NO_NEWS;
	case STRATA_APP_READY:
		return APP_READY;
	case STRATA_APP_ATTACHED:
		return APP_ATTACHED;
	case STRATA_APP_STOPPED:
		return APP_STOPPED;
	case STRATA_APP_WAKE:
		return packet->head.value & STRATA_APP_WENT_ON ? APP_WENT_ON : APP_NO_NEWS;
	case STRATA_APP_NO_THREAD:
		return APP_NO_THREAD;
	default:
		strata_fail(error, "it sent a message of the unknown type %u", packet->head.type);
		return APP_GONE;
	}
}

enum app_news app_take(struct app *app, const struct app_incoming *arrived,
		       struct strata_error *error)
{
	const struct strata_app_packet *packet = &arrived->packet;

	error->text[0] = '\0';
	switch (arrived->kind) {
	case APP_ARRIVAL_NONE:
		return APP_NO_NEWS;
	case APP_ARRIVAL_CARRIES:
		strata_fail(error, "it sends descriptors");
		return APP_GONE;
	case APP_ARRIVAL_END:
		return APP_GONE;
	case APP_ARRIVAL_MESSAGE:
		break;
	}
	if (arrived->bytes < sizeof(packet->head) || arrived->bytes > sizeof(*packet) ||
	    packet->head.magic != STRATA_APP_MAGIC) {
		strata_fail(error, "it sent %u bytes that are not a message", arrived->bytes);
		return APP_GONE;
	}
	if (packet->head.version != STRATA_APP_ABI_VERSION) {
		strata_fail(error,
			    "its libstrata speaks version %u, and this program %u; build both "
			    "from the same sources",
			    packet->head.version, STRATA_APP_ABI_VERSION);
		return APP_GONE;
	}
	return take_message(app, packet, arrived->bytes, error);
}

/* The header of its rings' memory: geometry and owner. */
static struct ring_file_header describe(const struct app *app, struct strata_ring_geometry geo,
					const struct ring_file_header *clock)
{
	struct ring_file_header header = *clock;

	header.mode = app->mode;
	header.overwrite = app->overwrite;
	header.form = (uint8_t)app->form;
	header.subbuf_bits = geo.subbuf_bits;
	header.nr_subbufs_bits = geo.nr_subbufs_bits;
	header.nr_rings = app->nr_cpus;
	header.ring_bytes = strata_app_ring_bytes(app->mode, geo);
	header.pid = app->pid;
	header.uid = app->uid;
	memcpy(header.comm, app->comm, sizeof(header.comm));
	return header;
}

bool app_choose_mode(struct app *app, const struct app_channel *channel)
{
	const bool can = app->modes & channel->mode;

	app->mode = can ? channel->mode : (enum strata_app_mode)(app->modes & ~channel->mode);
	app->form = app->mode == STRATA_APP_SINGLE_STORE
			    ? STRATA_HEADER_FULL
			    : strata_header_form_among(app->header_forms, channel->form);
	return can;
}

bool app_is_in_file(const struct app *app, const struct app_channel *channel)
{
	return channel->dir && app_file_users_allow(channel->file_users, app->uid);
}

/* Bytes of the rings of all CPUs in a mode; 0: more than rings may take. */
static size_t rings_bytes(enum strata_app_mode mode, const struct app_channel *channel)
{
	const uint64_t bytes = strata_app_ring_bytes(mode, channel->geometry);

	return bytes > RING_FILE_BYTES_MAX / app_cpus_max() ? 0 : app_cpus_max() * bytes;
}

size_t app_rings_bytes_max(const struct app_channel *channel)
{
	const size_t single = rings_bytes(STRATA_APP_SINGLE_STORE, channel);
	const size_t other = rings_bytes(STRATA_APP_RESERVE_COMMIT, channel);

	return single > other ? single : other;
}

int app_give_rings(struct app *app, const struct app_channel *channel,
		   const struct ring_file_header *clock, struct app_outgoing *outgoing,
		   struct strata_error *error)
{
	const struct strata_ring_geometry geo = channel->geometry;
	struct strata_app_message *head = &outgoing->packet.head;
	struct ring_file_header header;
	bool in_file;
	int fd;

	if (!app->mode || app->rings)
		return strata_fail(error, "it asked for rings out of sequence");
	app->overwrite = channel->overwrite;
	header = describe(app, geo, clock);
	if (header.ring_bytes > RING_FILE_BYTES_MAX / app->nr_cpus)
		return strata_fail(error,
				   "its rings for %u CPUs would take more than %llu MiB; make them "
				   "smaller with --app-buffer",
				   app->nr_cpus, RING_FILE_BYTES_MAX >> 20);
	app->rings = calloc(app->nr_cpus, sizeof(*app->rings));
	if (!app->rings)
		return strata_fail(error, "out of memory");
	app->nr_rings = app->nr_cpus;
	in_file = app_is_in_file(app, channel);
	fd = app_memory_make(&app->memory, in_file ? channel->dir : NULL, &app->ready, &header,
			     error);
	if (fd < 0)
		return -1;
	app_begin_message(outgoing, STRATA_APP_SETUP, sizeof(*head));
	head->subbuf_bits = geo.subbuf_bits;
	head->nr_subbufs_bits = geo.nr_subbufs_bits;
	head->overwrite = channel->overwrite;
	head->switch_ms = channel->switch_ms;
	head->value = app->mode;
	head->count = app->nr_cpus;
	head->headers = (uint8_t)app->form;
	head->first_page = app->memory.first_page;
	outgoing->fd = fd;
	/* Only anonymous memory has to be sealed when the application has mapped it. */
	outgoing->closes_fd = in_file || app->memory.kernel_id;
	if (!outgoing->closes_fd)
		app->memory.given = fd;
	return 0;
}

int app_read_rings(struct app *app, struct strata_error *error)
{
	const struct ring_file_header *header = &app->memory.header;
	size_t i;

	if (!app->memory.rings)
		return strata_fail(error, "it made rings that it was not given");
	for (i = 0; i < app->nr_rings; i++) {
		unsigned char *memory = app->memory.rings + i * header->ring_bytes;

		if (!ring_pages_hold(&app->memory.pages, memory, app_ring_always_read(header)))
			return strata_fail(error, "its memory cannot be read: %s",
					   strerror(app->memory.pages.failed));
		if (!app_ring_open(&app->rings[i], header, (uint32_t)i, memory))
			return strata_fail(error, "ring %zu has no ring header", i);
		app->rings[i].pages = &app->memory.pages;
	}
	return 0;
}

int app_name_rings(struct app *app, const struct strata_dir *dir,
		   const struct strata_source *source, struct strata_error *error)
{
	struct app_memory *memory = &app->memory;

	if (memory->file < 0)
		return 0;
	memcpy(memory->header.uuid, source->uuid, sizeof(memory->header.uuid));
	memory->header.came_ticks = source->came_ticks;
	return ring_file_name(memory->file, &memory->header, dir, source->name, memory->name,
			      error);
}

bool app_is_broken(const struct app *app)
{
	size_t i;

	for (i = 0; i < app->nr_rings; i++)
		if (app->rings[i].broken)
			return true;
	return false;
}

/* From now on the file alone is enough to read its records. */
static int table_events(struct app *app, struct strata_error *error)
{
	struct app_memory *memory = &app->memory;

	while (memory->file >= 0 && memory->header.nr_events < app->nr_events)
		if (ring_file_add_event(memory->file, &memory->header,
					app->events[memory->header.nr_events], error))
			return -1;
	return 0;
}

int app_select(struct app *app, const struct event_set *events, struct app_outgoing *outgoing,
	       struct strata_error *error)
{
	struct strata_app_packet *packet = &outgoing->packet;
	size_t i;

	app_begin_message(outgoing, STRATA_APP_SELECT,
			  sizeof(packet->head) + sizeof(packet->u.selected));
	packet->head.count = (uint32_t)app->nr_events;
	for (i = 0; i < app->nr_events; i++)
		if (event_set_has(events, i))
			packet->u.selected[i / 8] |= (uint8_t)(1u << i % 8);
	return table_events(app, error);
}

void app_stop(struct app_outgoing *outgoing)
{
	app_begin_message(outgoing, STRATA_APP_STOP, sizeof(outgoing->packet.head));
}

bool app_leave_file(struct app *app, char name[RING_FILE_NAME_BYTES])
{
	if (app->memory.file < 0)
		return false;
	memcpy(name, app->memory.name, RING_FILE_NAME_BYTES);
	app_memory_trim(&app->memory);
	close(app->memory.file);
	app->memory.file = -1;
	return true;
}

void app_leave_open(struct app *app)
{
	app->memory.given = -1;
}

void app_close(struct app *app)
{
	size_t i;

	app_memory_free(&app->memory);
	if (app->socket >= 0)
		hang_up(app->socket);
	if (app->process >= 0)
		close(app->process);
	if (app->ready.fd >= 0)
		close(app->ready.fd);
	free(app->rings);
	for (i = 0; i < app->nr_events; i++)
		free(app->events[i]);
	free(app->events);
	memset(app, 0, sizeof(*app));
	app->memory.file = app->memory.given = app->process = app->socket = -1;
	app->ready.fd = -1;
}
