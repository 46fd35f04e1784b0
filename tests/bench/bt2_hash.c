// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bt2_hash TRACE... - what libbabeltrace2 reads of traces, hashed as value_hash.h says:
 * whether `strata convert --format count` saw the same events with the same values in the
 * same order.  It prints the number of events and the hash.
 *
 * Nothing of Strata's readers is in here: times, order and values are babeltrace2's.
 */
#include <babeltrace2/babeltrace.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/value_hash.h"

static struct strata_chain chain;

static uint64_t fold(uint64_t hash, const bt_field *field);

static uint64_t fold_elements(uint64_t hash, const bt_field *field, bool dynamic)
{
	const uint64_t length = bt_field_array_get_length(field);
	uint64_t i;

	if (dynamic)
		hash = strata_hash_number(hash, length);
	for (i = 0; i < length; i++)
		hash = fold(hash, bt_field_array_borrow_element_field_by_index_const(field, i));
	return hash;
}

static uint64_t fold_structure(uint64_t hash, const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	const uint64_t nr = bt_field_class_structure_get_member_count(class);
	uint64_t i;

	for (i = 0; i < nr; i++)
		hash = fold(hash, bt_field_structure_borrow_member_field_by_index_const(field, i));
	return hash;
}

static uint64_t fold_real(uint64_t hash, const bt_field *field, bool single)
{
	const double number = single ? 0 : bt_field_real_double_precision_get_value(field);
	const float narrow = single ? bt_field_real_single_precision_get_value(field) : 0;
	uint64_t bits = 0;

	if (single)
		memcpy(&bits, &narrow, sizeof(narrow));
	else
		memcpy(&bits, &number, sizeof(number));
	return strata_hash_number(hash, bits);
}

static uint64_t fold(uint64_t hash, const bt_field *field)
{
	switch (bt_field_get_class_type(field)) {
	case BT_FIELD_CLASS_TYPE_BOOL:
		return strata_hash_number(hash, (uint64_t)bt_field_bool_get_value(field));
	case BT_FIELD_CLASS_TYPE_BIT_ARRAY:
		return strata_hash_number(hash, bt_field_bit_array_get_value_as_integer(field));
	case BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER:
	case BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION:
		return strata_hash_number(hash, bt_field_integer_unsigned_get_value(field));
	case BT_FIELD_CLASS_TYPE_SIGNED_INTEGER:
	case BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION:
		return strata_hash_number(hash, (uint64_t)bt_field_integer_signed_get_value(field));
	case BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL:
		return fold_real(hash, field, true);
	case BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL:
		return fold_real(hash, field, false);
	case BT_FIELD_CLASS_TYPE_STRING:
		return strata_hash_bytes(hash, bt_field_string_get_value(field),
					 bt_field_string_get_length(field));
	case BT_FIELD_CLASS_TYPE_STRUCTURE:
		return fold_structure(hash, field);
	case BT_FIELD_CLASS_TYPE_STATIC_ARRAY:
		return fold_elements(hash, field, false);
	case BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY_WITHOUT_LENGTH_FIELD:
	case BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY_WITH_LENGTH_FIELD:
		return fold_elements(hash, field, true);
	default: /* an option or a variant */
		return fold(hash, bt_field_variant_borrow_selected_option_field_const(field));
	}
}

/* The stream's number: its class and, if packets say it, its CPU. */
static uint64_t stream_number(const bt_event *event)
{
	const bt_stream *stream = bt_event_borrow_stream_const(event);
	const uint64_t class = bt_stream_class_get_id(bt_stream_borrow_class_const(stream));
	const bt_field *context =
		bt_packet_borrow_context_field_const(bt_event_borrow_packet_const(event));
	const bt_field *cpu =
		context ? bt_field_structure_borrow_member_field_by_name_const(context, "cpu_id")
			: NULL;

	return class << 32 ^ (cpu ? bt_field_integer_unsigned_get_value(cpu) : 0);
}

/* How many classes of the same stream have a lower id; those that were asked for are kept. */
static uint64_t class_number(const bt_event_class *class)
{
	static struct {
		const bt_event_class *class;
		uint64_t number;
	} known[4096];
	const size_t at = (size_t) class / 16 % 4096;
	const bt_stream_class *stream = bt_event_class_borrow_stream_class_const(class);
	const uint64_t nr = bt_stream_class_get_event_class_count(stream);
	uint64_t i, number = 0;

	if (known[at].class == class)
		return known[at].number;
	for (i = 0; i < nr; i++)
		number += bt_event_class_get_id(bt_stream_class_borrow_event_class_by_index_const(
				  stream, i)) < bt_event_class_get_id(class);
	known[at].class = class;
	known[at].number = number;
	return number;
}

static void take(const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const bt_clock_snapshot *clock =
		bt_message_event_borrow_default_clock_snapshot_const(message);
	const bt_field *fields[] = { bt_event_borrow_common_context_field_const(event),
				     bt_event_borrow_specific_context_field_const(event),
				     bt_event_borrow_payload_field_const(event) };
	int64_t ns = 0;
	uint64_t hash;
	size_t i;

	if (bt_clock_snapshot_get_ns_from_origin(clock, &ns)) {
		fprintf(stderr, "bt2_hash: a time is beyond 64 bits\n");
		exit(1);
	}
	hash = strata_hash_event((uint64_t)ns, stream_number(event),
				 class_number(bt_event_borrow_class_const(event)));
	for (i = 0; i < 3; i++) {
		if (fields[i])
			hash = fold(hash, fields[i]);
	}
	strata_chain_add(&chain, (uint64_t)ns, hash);
}

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *iterator,
								  void *data)
{
	bt_message_array_const messages;
	uint64_t i, nr;
	const bt_message_iterator_next_status status =
		bt_message_iterator_next(iterator, &messages, &nr);

	(void)data;
	if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END)
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
	for (i = 0; i < nr; i++) {
		if (bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_EVENT)
			take(messages[i]);
		bt_message_put_ref(messages[i]);
	}
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

static void check(int failed, const char *what)
{
	if (!failed)
		return;
	fprintf(stderr, "bt2_hash: %s failed\n", what);
	exit(1);
}

static const bt_plugin *find_plugin(const char *name)
{
	const bt_plugin *plugin = NULL;

	check(bt_plugin_find(name, BT_FALSE, BT_FALSE, BT_TRUE, BT_TRUE, BT_TRUE, &plugin) !=
		      BT_PLUGIN_FIND_STATUS_OK,
	      "to find a plugin");
	return plugin;
}

/* A source for a trace, its ports joined to the muxer's. */
static void add_trace(bt_graph *graph, const bt_plugin *ctf, const bt_component_filter *muxer,
		      const char *path, uint64_t *nr_ports, int number)
{
	const bt_component_class_source *class =
		bt_plugin_borrow_source_component_class_by_name_const(ctf, "fs");
	bt_value *params = bt_value_map_create(), *inputs = NULL;
	const bt_component_source *source;
	char name[32];
	uint64_t i;

	check(bt_value_map_insert_empty_array_entry(params, "inputs", &inputs), "parameters");
	check(bt_value_array_append_string_element(inputs, path), "parameters");
	snprintf(name, sizeof(name), "trace%d", number);
	check(bt_graph_add_source_component(graph, class, name, params, BT_LOGGING_LEVEL_WARNING,
					    &source),
	      "to open a trace");
	for (i = 0; i < bt_component_source_get_output_port_count(source); i++)
		check(bt_graph_connect_ports(
			      graph,
			      bt_component_source_borrow_output_port_by_index_const(source, i),
			      bt_component_filter_borrow_input_port_by_index_const(muxer,
										   (*nr_ports)++),
			      NULL),
		      "to connect ports");
	bt_value_put_ref(params);
}

int main(int argc, char **argv)
{
	const bt_plugin *ctf = find_plugin("ctf"), *utils = find_plugin("utils");
	bt_graph *graph = bt_graph_create(0);
	const bt_component_filter *muxer;
	const bt_component_sink *sink;
	uint64_t nr_ports = 0;
	int i;

	if (argc < 2) {
		fprintf(stderr, "usage: bt2_hash TRACE...\n");
		return 2;
	}
	check(bt_graph_add_filter_component(
		      graph, bt_plugin_borrow_filter_component_class_by_name_const(utils, "muxer"),
		      "muxer", NULL, BT_LOGGING_LEVEL_WARNING, &muxer),
	      "to make the muxer");
	for (i = 1; i < argc; i++)
		add_trace(graph, ctf, muxer, argv[i], &nr_ports, i);
	check(bt_graph_add_simple_sink_component(graph, "sink", NULL, consume, NULL, NULL, &sink),
	      "to make the sink");
	check(bt_graph_connect_ports(
		      graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
		      bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL),
	      "to connect the sink");
	check(bt_graph_run(graph) != BT_GRAPH_RUN_STATUS_OK, "to read");
	printf("%" PRIu64 " %016" PRIx64 "\n", chain.events, chain.hash);
	return 0;
}
