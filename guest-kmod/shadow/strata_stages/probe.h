/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probe.h - stage 6: strata_record_CLASS(), which records an event in one channel;
 * strata_asked_CLASS(), which assembles it for field filters (assembled.h);
 * strata_each_CLASS(), which records it in each channel that selects it, and strata_one_CLASS(),
 * which serves events of one channel; strata_probe_CLASS(), which chooses between the two and
 * needs no stack for that; and for each event its entry in the list of trace points.  Each
 * channel gets its own copy of the arguments, because assignments may change them.  The
 * kernel's own check_trace_callback_type_EVENT() ensures that the probe's arguments are those
 * of the trace point.
 */

#undef STRATA_CLASS_0
#define STRATA_CLASS_0(name, proto, args, tstruct, assign)                                        \
	static __always_inline void strata_record_##name(const struct strata_event *strata_event, \
							 proto, unsigned long strata_channel,     \
							 u64 strata_ticks)                        \
	{                                                                                         \
		struct strata_offsets_##name strata_offsets;                                      \
		struct strata_open_record strata_record __uninitialized;                          \
		struct strata_entry_##name *entry;                                                \
                                                                                                  \
		if (!strata_record_begin(&strata_record, strata_channel, strata_event->id,        \
					 strata_layout_##name(&strata_offsets, args),             \
					 strata_ticks))                                           \
			return;                                                                   \
		entry = strata_record.payload;                                                    \
		{                                                                                 \
			assign;                                                                   \
		}                                                                                 \
		strata_finish_##name(entry, &strata_offsets);                                     \
		strata_record_end(&strata_record);                                                \
	}                                                                                         \
	static __maybe_unused noinline void strata_asked_##name(                                  \
		const struct strata_event *strata_event, proto, unsigned long strata_channels)    \
	{                                                                                         \
		struct strata_offsets_##name strata_offsets;                                      \
		struct strata_entry_##name *entry;                                                \
		u64 strata_ticks;                                                                 \
		u32 strata_bytes;                                                                 \
                                                                                                  \
		if (!strata_probe_enter(strata_channels))                                         \
			return;                                                                   \
		strata_ticks = strata_clock();                                                    \
		strata_bytes = strata_layout_##name(&strata_offsets, args);                       \
		entry = strata_assembled_begin(strata_bytes);                                     \
		if (likely(entry)) {                                                              \
			{                                                                         \
				assign;                                                           \
			}                                                                         \
			strata_finish_##name(entry, &strata_offsets);                             \
		}                                                                                 \
		strata_assembled_record(strata_event, strata_channels, entry, strata_bytes,       \
					strata_ticks);                                            \
		strata_probe_exit();                                                              \
	}                                                                                         \
	static __maybe_unused noinline void strata_each_##name(                                   \
		const struct strata_event *strata_event, proto)                                   \
	{                                                                                         \
		unsigned long strata_channels = strata_event_channels(strata_event);              \
		u64 strata_ticks;                                                                 \
                                                                                                  \
		if (unlikely(strata_channels_ask(strata_channels))) {                             \
			strata_asked_##name(strata_event, args, strata_channels);                 \
			return;                                                                   \
		}                                                                                 \
		if (!strata_channels || !strata_probe_enter(strata_channels))                     \
			return;                                                                   \
		strata_ticks = strata_clock();                                                    \
		do                                                                                \
			strata_record_##name(strata_event, args, __ffs(strata_channels),          \
					     strata_ticks);                                       \
		while (strata_channels &= strata_channels - 1);                                   \
		strata_probe_exit();                                                              \
	}                                                                                         \
	static __maybe_unused noinline void strata_one_##name(                                    \
		const struct strata_event *strata_event, proto, unsigned long strata_only)        \
	{                                                                                         \
		if (!strata_probe_enter(strata_only))                                             \
			return;                                                                   \
		strata_record_##name(strata_event, args, __ffs(strata_only), strata_clock());     \
		strata_probe_exit();                                                              \
	}                                                                                         \
	static __maybe_unused void strata_probe_##name(void *strata_event, proto)                 \
	{                                                                                         \
		unsigned long strata_only;                                                        \
                                                                                                  \
		strata_probe_pin();                                                               \
		strata_only = strata_event_only(strata_event);                                    \
		if (likely(strata_only))                                                          \
			strata_one_##name(strata_event, args, strata_only);                       \
		else                                                                              \
			strata_each_##name(strata_event, args);                                   \
		strata_probe_unpin();                                                             \
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
		.of_module = STRATA_OF_MODULES,                                        \
	};                                                                             \
	static struct strata_tracepoint *const strata_listed_##name_ __used __section( \
		STRATA_TRACEPOINTS_SECTION) = &strata_tracepoint_##name_;              \
	static inline __maybe_unused void strata_check_##name_(void)                   \
	{                                                                              \
		check_trace_callback_type_##name_(strata_probe_##template);            \
	}
