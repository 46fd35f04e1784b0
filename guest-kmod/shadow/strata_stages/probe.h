/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probe.h - stage 6: strata_probe_CLASS(), and for each event its entry in the list of
 * trace points.  The kernel's own check_trace_callback_type_EVENT() ensures that the
 * probe's arguments are those of the trace point.
 */

#undef STRATA_CLASS_0
#define STRATA_CLASS_0(name, proto, args, tstruct, assign)                             \
	static __maybe_unused void strata_probe_##name(void *strata_event, proto)      \
	{                                                                              \
		struct strata_offsets_##name strata_offsets;                           \
		struct strata_open_record strata_record __uninitialized;               \
		struct strata_entry_##name *entry;                                     \
                                                                                       \
		if (!strata_filter_passes() ||                                         \
		    !strata_record_begin(&strata_record,                               \
					 ((struct strata_event *)strata_event)->id,    \
					 strata_layout_##name(&strata_offsets, args))) \
			return;                                                        \
		entry = strata_record.payload;                                         \
		{                                                                      \
			assign;                                                        \
		}                                                                      \
		strata_finish_##name(entry, &strata_offsets);                          \
		strata_record_end(&strata_record);                                     \
	}
#undef STRATA_EVENT_00
#define STRATA_EVENT_00(template, name_, proto)                                        \
	static struct strata_tracepoint strata_tracepoint_##name_ = {                  \
		.event = { .name = #name_,                                             \
			   .group = __stringify(TRACE_SYSTEM),                         \
			   .fields = strata_fields_##template,                         \
			   .nr_fields = ARRAY_SIZE(strata_fields_##template),          \
			   .attach = strata_tracepoint_attach,                         \
			   .detach = strata_tracepoint_detach },                       \
		.probe = strata_probe_##template,                                      \
		.static_bytes = offsetof(struct strata_entry_##template, strata_end),  \
	};                                                                             \
	static struct strata_tracepoint *const strata_listed_##name_ __used __section( \
		STRATA_TRACEPOINTS_SECTION) = &strata_tracepoint_##name_;              \
	static inline __maybe_unused void strata_check_##name_(void)                   \
	{                                                                              \
		check_trace_callback_type_##name_(strata_probe_##template);            \
	}
