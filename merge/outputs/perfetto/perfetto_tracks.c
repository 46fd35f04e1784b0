// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfetto_tracks.c - see perfetto_tracks.h.
 *
 * A slice is a begin event and an end event. Readers sort packets by time, stably. Slices of one
 * track do not overlap and come in order, so each end follows its begin and precedes the next
 * begin.
 *
 * Texts are interned: a packet writes the text once, and later packets of the sequence refer to its
 * number.
 *
 * An arrow is a flow between two instants, because its slices may have been written already, or may
 * be written later. Arrows from the vCPU that held a CPU are not written as flows: the tracks of
 * the physical CPUs show that.
 */
#include "outputs/perfetto/perfetto_tracks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/perfetto/perfetto_fields.h"
#include "outputs/perfetto/protobuf.h"
#include "tracks/tracks.h"

#define SEQUENCE_ID   1u
#define TRACE_BYTES   (1u << 16) /* flushed at this size */
#define PROCESS_RANKS 24u        /* bits of a rank within its kind */

/* Names other than those of slices, numbered after the names of the tracks. */
enum own_name { NAME_LOSS, NAME_FLOWS, NR_OWN_NAMES = NAME_FLOWS + STRATA_NR_ARROWS };

struct strata_perfetto_tracks {
	struct strata_track_sink sink;
	struct strata_out_file *out;
	struct strata_buffer trace, packet, event, part, inner;
	bool *has_name; /* by number: its text was written */
	size_t names_room;
	bool has_category[STRATA_NR_HUES], has_own[NR_OWN_NAMES];
	struct strata_names keys; /* of annotations; their iids are the numbers + 1 */
	size_t keys_written;
	uint64_t flows;
	bool has_begun;
};

static const char *const own_names[NR_OWN_NAMES] = {
	[NAME_LOSS] = "events lost",
	[NAME_FLOWS + STRATA_ARROW_WAKEUP] = "wake-up",
	[NAME_FLOWS + STRATA_ARROW_EVENT_CHANNEL] = "event channel",
	[NAME_FLOWS + STRATA_ARROW_INTERRUPT] = "interrupt",
};

/* The iids of these names; texts of slices follow them. */
static uint64_t own_iid(enum own_name name)
{
	return (uint64_t)name + 1;
}

static uint64_t name_iid(uint32_t name)
{
	return (uint64_t)name + NR_OWN_NAMES + 1;
}

static uint64_t uuid_of(uint32_t track)
{
	return (uint64_t)track + 1;
}

/* The uuid of a track's counter of losses. */
static uint64_t loss_uuid_of(uint32_t track)
{
	return (uint64_t)1 << 32 | track;
}

static void write_out(struct strata_perfetto_tracks *perfetto, size_t least)
{
	if (perfetto->trace.used < least)
		return;
	strata_out_write(perfetto->out, perfetto->trace.bytes, perfetto->trace.used);
	perfetto->trace.used = 0;
}

/* Packets ------------------------------------------------------------------------------------- */

static void begin_packet(struct strata_perfetto_tracks *perfetto)
{
	perfetto->packet.used = 0;
	strata_protobuf_varint(&perfetto->packet, PACKET_SEQUENCE, SEQUENCE_ID);
	strata_protobuf_varint(&perfetto->packet, PACKET_FLAGS,
			       perfetto->has_begun ? FLAG_NEEDS : FLAG_CLEARED | FLAG_NEEDS);
	perfetto->has_begun = true;
}

static void end_packet(struct strata_perfetto_tracks *perfetto)
{
	strata_protobuf_message(&perfetto->trace, TRACE_PACKET, &perfetto->packet);
	write_out(perfetto, TRACE_BYTES);
}

/* Adds the text of a number to ->part. */
static void add_text(struct strata_perfetto_tracks *perfetto, uint32_t field, uint64_t iid,
		     const char *text)
{
	perfetto->inner.used = 0;
	strata_protobuf_varint(&perfetto->inner, INTERNED_IID, iid);
	strata_protobuf_text(&perfetto->inner, INTERNED_NAME, text, strlen(text));
	strata_protobuf_message(&perfetto->part, field, &perfetto->inner);
}

static bool *name_mark(struct strata_perfetto_tracks *perfetto, uint32_t name)
{
	size_t room = perfetto->names_room ? perfetto->names_room : 256;
	bool *larger;

	while (room <= name)
		room *= 2;
	if (room > perfetto->names_room) {
		larger = reallocarray(perfetto->has_name, room, sizeof(*larger));
		if (!larger) {
			perfetto->trace.no_memory = true;
			return NULL;
		}
		memset(larger + perfetto->names_room, 0, room - perfetto->names_room);
		perfetto->has_name = larger;
		perfetto->names_room = room;
	}
	return &perfetto->has_name[name];
}

/* Writes the collected texts into the packet, before its event. */
static void put_texts(struct strata_perfetto_tracks *perfetto)
{
	if (perfetto->part.used)
		strata_protobuf_message(&perfetto->packet, PACKET_INTERNED, &perfetto->part);
	perfetto->part.used = 0;
}

static void put_event(struct strata_perfetto_tracks *perfetto, uint64_t ns)
{
	strata_protobuf_varint(&perfetto->packet, PACKET_TIMESTAMP, ns);
	put_texts(perfetto);
	strata_protobuf_message(&perfetto->packet, PACKET_TRACK_EVENT, &perfetto->event);
	end_packet(perfetto);
}

static void begin_event(struct strata_perfetto_tracks *perfetto, uint64_t type, uint64_t uuid)
{
	begin_packet(perfetto);
	perfetto->event.used = 0;
	strata_protobuf_varint(&perfetto->event, EVENT_TYPE, type);
	strata_protobuf_varint(&perfetto->event, EVENT_TRACK, uuid);
}

static void put_own_name(struct strata_perfetto_tracks *perfetto, enum own_name name)
{
	if (!perfetto->has_own[name])
		add_text(perfetto, INTERNED_NAMES, own_iid(name), own_names[name]);
	perfetto->has_own[name] = true;
	strata_protobuf_varint(&perfetto->event, EVENT_NAME_IID, own_iid(name));
}

/* Tracks -------------------------------------------------------------------------------------- */

/* Writes how children are ordered, and the track's rank among its siblings. */
static void put_order(struct strata_buffer *out, const struct strata_track *track)
{
	const uint64_t most = ((uint64_t)1 << PROCESS_RANKS) - 1;

	strata_protobuf_varint(out, TRACK_ORDERING, ORDERING_EXPLICIT);
	strata_protobuf_varint(out, TRACK_RANK,
			       (uint64_t)track->kind << PROCESS_RANKS |
				       (track->rank < most ? track->rank : most));
}

/* Groups right below the top are processes, so that viewers without nested tracks separate them,
 * too. */
static bool is_process(const struct strata_tracks *tracks, const struct strata_track *track)
{
	return track->kind == STRATA_TRACK_GROUP &&
	       (track->parent == STRATA_NO_TRACK ||
		tracks->all[track->parent]->parent == STRATA_NO_TRACK) &&
	       !*track->process && (!*track->host || track->parent != STRATA_NO_TRACK);
}

static void put_process(struct strata_perfetto_tracks *perfetto, const struct strata_track *track)
{
	char name[2 * STRATA_TRACK_NAME + 2];

	snprintf(name, sizeof(name), "%s%s%s", track->host, *track->host ? "/" : "", track->name);
	perfetto->inner.used = 0;
	strata_protobuf_varint(&perfetto->inner, PROCESS_PID, (uint64_t)track->id + 1);
	strata_protobuf_text(&perfetto->inner, PROCESS_NAME, name, strlen(name));
	strata_protobuf_message(&perfetto->event, TRACK_PROCESS, &perfetto->inner);
}

/* Makes the track being described a counter. */
static void put_counter(struct strata_perfetto_tracks *perfetto)
{
	perfetto->inner.used = 0;
	strata_protobuf_varint(&perfetto->inner, COUNTER_UNIT, UNIT_COUNT);
	strata_protobuf_message(&perfetto->event, TRACK_COUNTER, &perfetto->inner);
}

static void put_count(struct strata_perfetto_tracks *perfetto, uint64_t uuid, uint64_t ns,
		      uint64_t count)
{
	begin_event(perfetto, TYPE_COUNTER, uuid);
	strata_protobuf_varint(&perfetto->event, EVENT_COUNTER, count);
	put_event(perfetto, ns);
}

static void take_queue(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		       const struct strata_track_queue *queue)
{
	(void)tracks;
	put_count((struct strata_perfetto_tracks *)sink, uuid_of(queue->track), queue->from_ns,
		  queue->waiting);
}

/* Viewers order processes by rank only if the root of all tracks requests it. */
static void put_root(struct strata_perfetto_tracks *perfetto)
{
	begin_packet(perfetto);
	perfetto->event.used = 0;
	strata_protobuf_varint(&perfetto->event, TRACK_UUID, ROOT_UUID);
	strata_protobuf_varint(&perfetto->event, TRACK_PROCESS_ORDERING, PROCESS_ORDERING_EXPLICIT);
	strata_protobuf_message(&perfetto->packet, PACKET_TRACK_DESCRIPTOR, &perfetto->event);
	end_packet(perfetto);
}

static void take_track(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		       const struct strata_track *track)
{
	struct strata_perfetto_tracks *perfetto = (struct strata_perfetto_tracks *)sink;

	if (!perfetto->has_begun)
		put_root(perfetto);
	begin_packet(perfetto);
	perfetto->event.used = 0;
	strata_protobuf_varint(&perfetto->event, TRACK_UUID, uuid_of(track->id));
	strata_protobuf_text(&perfetto->event, TRACK_NAME, track->name, strlen(track->name));
	if (track->parent != STRATA_NO_TRACK)
		strata_protobuf_varint(&perfetto->event, TRACK_PARENT, uuid_of(track->parent));
	if (is_process(tracks, track))
		put_process(perfetto, track);
	if (track->kind == STRATA_TRACK_QUEUE)
		put_counter(perfetto);
	put_order(&perfetto->event, track);
	strata_protobuf_message(&perfetto->packet, PACKET_TRACK_DESCRIPTOR, &perfetto->event);
	end_packet(perfetto);
}

/* Slices -------------------------------------------------------------------------------------- */

/* Returns the iid of an annotation's name; collects the text if it is new. */
static uint64_t key_iid(struct strata_perfetto_tracks *perfetto, const char *key)
{
	const uint32_t number = strata_names_get(&perfetto->keys, key, 0);

	for (; perfetto->keys_written < perfetto->keys.nr; perfetto->keys_written++)
		add_text(perfetto, INTERNED_ANNOTATIONS, perfetto->keys_written + 1,
			 perfetto->keys.texts[perfetto->keys_written]);
	return (uint64_t)number + 1;
}

/* Writes lines of KEY=VALUE as annotations. */
static void put_details(struct strata_perfetto_tracks *perfetto, const char *detail)
{
	char key[STRATA_TRACK_NAME];

	while (*detail) {
		const size_t line = strcspn(detail, "\n"), name = strcspn(detail, "=");

		if (name < line && name < sizeof(key)) {
			uint64_t iid;

			memcpy(key, detail, name);
			key[name] = '\0';
			iid = key_iid(perfetto, key);
			perfetto->inner.used = 0;
			strata_protobuf_varint(&perfetto->inner, ANNOTATION_NAME_IID, iid);
			strata_protobuf_text(&perfetto->inner, ANNOTATION_STRING, detail + name + 1,
					     line - name - 1);
			strata_protobuf_message(&perfetto->event, EVENT_ANNOTATION,
						&perfetto->inner);
		}
		detail += line + (detail[line] == '\n');
	}
}

static void put_bound(struct strata_perfetto_tracks *perfetto, uint64_t bound_ns)
{
	uint64_t iid;

	if (bound_ns == UINT64_MAX)
		return;
	iid = key_iid(perfetto, "bound_ns");
	perfetto->inner.used = 0;
	strata_protobuf_varint(&perfetto->inner, ANNOTATION_NAME_IID, iid);
	strata_protobuf_varint(&perfetto->inner, ANNOTATION_UINT, bound_ns);
	strata_protobuf_message(&perfetto->event, EVENT_ANNOTATION, &perfetto->inner);
}

static void take_slice(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		       const struct strata_track_slice *slice)
{
	struct strata_perfetto_tracks *perfetto = (struct strata_perfetto_tracks *)sink;
	const enum strata_hue hue = tracks->categories[slice->category].hue;
	bool *has_name = name_mark(perfetto, slice->name);

	if (!has_name)
		return;
	begin_event(perfetto, TYPE_BEGIN, uuid_of(slice->track));
	if (!*has_name)
		add_text(perfetto, INTERNED_NAMES, name_iid(slice->name),
			 tracks->names.texts[slice->name]);
	*has_name = true;
	if (!perfetto->has_category[hue])
		add_text(perfetto, INTERNED_CATEGORIES, (uint64_t)hue + 1, strata_hue_names[hue]);
	perfetto->has_category[hue] = true;
	strata_protobuf_varint(&perfetto->event, EVENT_NAME_IID, name_iid(slice->name));
	strata_protobuf_varint(&perfetto->event, EVENT_CATEGORY_IID, (uint64_t)hue + 1);
	put_bound(perfetto, slice->bound_ns);
	put_details(perfetto, slice->detail);
	put_event(perfetto, slice->from_ns);
	begin_event(perfetto, TYPE_END, uuid_of(slice->track));
	put_event(perfetto, slice->to_ns);
}

static void put_end_of_flow(struct strata_perfetto_tracks *perfetto,
			    const struct strata_track_arrow *arrow, bool is_begin)
{
	begin_event(perfetto, TYPE_INSTANT,
		    uuid_of(is_begin ? arrow->from_track : arrow->to_track));
	put_own_name(perfetto, (enum own_name)(NAME_FLOWS + arrow->kind));
	put_bound(perfetto, arrow->bound_ns);
	strata_protobuf_fixed(&perfetto->event, is_begin ? EVENT_FLOW : EVENT_FLOW_END,
			      perfetto->flows);
	put_event(perfetto, is_begin ? arrow->from_ns : arrow->to_ns);
}

static void take_arrow(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		       const struct strata_track_arrow *arrow)
{
	struct strata_perfetto_tracks *perfetto = (struct strata_perfetto_tracks *)sink;

	(void)tracks;
	if (arrow->kind == STRATA_ARROW_HELD)
		return;
	perfetto->flows++;
	put_end_of_flow(perfetto, arrow, true);
	put_end_of_flow(perfetto, arrow, false);
}

/* Adds to the counter of losses; an instant reports the loss, too, because some losses have no
 * count. */
static void take_loss(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		      const struct strata_track_loss *loss)
{
	struct strata_perfetto_tracks *perfetto = (struct strata_perfetto_tracks *)sink;
	char name[STRATA_TRACK_NAME + 16];

	begin_packet(perfetto);
	perfetto->event.used = 0;
	strata_protobuf_varint(&perfetto->event, TRACK_UUID, loss_uuid_of(loss->track));
	snprintf(name, sizeof(name), "lost: %s", tracks->all[loss->track]->name);
	strata_protobuf_text(&perfetto->event, TRACK_NAME, name, strlen(name));
	strata_protobuf_varint(&perfetto->event, TRACK_PARENT, uuid_of(loss->track));
	put_counter(perfetto);
	strata_protobuf_message(&perfetto->packet, PACKET_TRACK_DESCRIPTOR, &perfetto->event);
	end_packet(perfetto);
	put_count(perfetto, loss_uuid_of(loss->track), loss->from_ns, loss->discarded);
	put_count(perfetto, loss_uuid_of(loss->track), loss->to_ns, 0);
	begin_event(perfetto, TYPE_INSTANT, uuid_of(loss->track));
	put_own_name(perfetto, NAME_LOSS);
	put_event(perfetto, loss->from_ns);
}

/* The whole ----------------------------------------------------------------------------------- */

struct strata_perfetto_tracks *strata_perfetto_tracks_new(struct strata_out_file *out)
{
	struct strata_perfetto_tracks *perfetto = calloc(1, sizeof(*perfetto));

	if (!perfetto)
		return NULL;
	perfetto->out = out;
	perfetto->sink.track = take_track;
	perfetto->sink.slice = take_slice;
	perfetto->sink.arrow = take_arrow;
	perfetto->sink.loss = take_loss;
	perfetto->sink.queue = take_queue;
	return perfetto;
}

struct strata_track_sink *strata_perfetto_tracks_sink(struct strata_perfetto_tracks *perfetto)
{
	return &perfetto->sink;
}

int strata_perfetto_tracks_finish(struct strata_perfetto_tracks *perfetto,
				  struct strata_error *error)
{
	write_out(perfetto, 1);
	return perfetto->trace.no_memory || perfetto->packet.no_memory || perfetto->keys.no_memory
		       ? strata_fail(error, "out of memory")
		       : 0;
}

void strata_perfetto_tracks_free(struct strata_perfetto_tracks *perfetto)
{
	if (!perfetto)
		return;
	strata_buffer_free(&perfetto->trace);
	strata_buffer_free(&perfetto->packet);
	strata_buffer_free(&perfetto->event);
	strata_buffer_free(&perfetto->part);
	strata_buffer_free(&perfetto->inner);
	strata_names_clear(&perfetto->keys);
	free(perfetto->has_name);
	free(perfetto);
}
