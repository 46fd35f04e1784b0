/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * words.h - the words of headers of trace events that mean the same in all of our
 * stages; each stage defines STRATA_CLASS_0 and STRATA_EVENT_00, and the kinds of
 * fields.
 */

#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(a)

#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(a)

/* A class, and an event of it, unless STRATA_SKIP_ either is 1. */
#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print) \
	__PASTE(STRATA_CLASS_, __is_defined(STRATA_SKIP_##name))       \
	(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct), PARAMS(assign))
#define STRATA_CLASS_1(name, proto, args, tstruct, assign)

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)                             \
	__PASTE(__PASTE(STRATA_EVENT_, __is_defined(STRATA_SKIP_##template)), \
		__is_defined(STRATA_SKIP_##name))                             \
	(template, name, PARAMS(proto))
#define STRATA_EVENT_01(template, name, proto)
#define STRATA_EVENT_10(template, name, proto)
#define STRATA_EVENT_11(template, name, proto)

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)                                  \
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct), PARAMS(assign), \
			    PARAMS(print))                                                      \
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))

#undef TRACE_EVENT_CONDITION
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print)          \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct), PARAMS(assign), \
		    PARAMS(print))

#undef TRACE_EVENT_FN
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg)           \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct), PARAMS(assign), \
		    PARAMS(print))

/* Of Linux 6.13 and later; its probes may be preempted: see strata_probe_pin(). */
#undef TRACE_EVENT_SYSCALL
#define TRACE_EVENT_SYSCALL(name, proto, args, tstruct, assign, print, reg, unreg)      \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct), PARAMS(assign), \
		    PARAMS(print))

#undef TRACE_EVENT_FN_COND
#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, reg, unreg) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct), PARAMS(assign),  \
		    PARAMS(print))

#undef DEFINE_EVENT_FN
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg) \
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print) \
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_CONDITION
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond) \
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

/* Without fields, or never compiled into a kernel. */
#undef DECLARE_TRACE
#define DECLARE_TRACE(name, proto, args)
#undef TRACE_EVENT_NOP
#define TRACE_EVENT_NOP(name, proto, args, tstruct, assign, print)
#undef DEFINE_EVENT_NOP
#define DEFINE_EVENT_NOP(template, name, proto, args)

#undef TP_STRUCT__entry
#define TP_STRUCT__entry(args...) args
#undef TP_fast_assign
#define TP_fast_assign(args...) args
#undef TP_printk
#define TP_printk(fmt, args...)
#undef __entry
#define __entry entry

/* Kinds of fields that are aliases of others. */
#undef __field_ext
#define __field_ext(type, item, filter_type) __field(type, item)
#undef __field_struct_ext
#define __field_struct_ext(type, item, filter_type) __field_struct(type, item)
#undef __bitmask
#define __bitmask(item, nr_bits) __dynamic_array(unsigned long, item, BITS_TO_LONGS(nr_bits))
#undef __cpumask
#define __cpumask(item) __bitmask(item, nr_cpumask_bits)
#undef __sockaddr
#define __sockaddr(item, len) __dynamic_array(u8, item, len)
#undef __rel_dynamic_array
#define __rel_dynamic_array(type, item, len) __dynamic_array(type, item, len)
#undef __rel_string
#define __rel_string(item, src) __string(item, src)
#undef __rel_string_len
#define __rel_string_len(item, src, len) __string_len(item, src, len)
#undef __rel_bitmask
#define __rel_bitmask(item, nr_bits) __bitmask(item, nr_bits)
#undef __rel_cpumask
#define __rel_cpumask(item) __cpumask(item)
#undef __rel_sockaddr
#define __rel_sockaddr(item, len) __sockaddr(item, len)

/* What assignments ask of fields of variable length. */
#undef __get_dynamic_array
#define __get_dynamic_array(item) ((void *)entry + strata_offsets.item)
#undef __get_dynamic_array_len
#define __get_dynamic_array_len(item) (strata_offsets.item##_bytes)
#undef __get_str
#define __get_str(item) ((char *)__get_dynamic_array(item))
#undef __get_bitmask
#define __get_bitmask(item) __get_str(item)
#undef __get_cpumask
#define __get_cpumask(item) __get_str(item)
#undef __get_sockaddr
#define __get_sockaddr(item) ((struct sockaddr *)__get_dynamic_array(item))
#undef __get_rel_dynamic_array
#define __get_rel_dynamic_array(item) __get_dynamic_array(item)
#undef __get_rel_dynamic_array_len
#define __get_rel_dynamic_array_len(item) __get_dynamic_array_len(item)
#undef __get_rel_str
#define __get_rel_str(item) __get_str(item)
#undef __get_rel_bitmask
#define __get_rel_bitmask(item) __get_bitmask(item)
#undef __get_rel_cpumask
#define __get_rel_cpumask(item) __get_cpumask(item)
#undef __get_rel_sockaddr
#define __get_rel_sockaddr(item) __get_sockaddr(item)

#undef __assign_str
#define __assign_str(item, src) \
	strata_copy_string(__get_str(item), __get_dynamic_array_len(item), src);
#undef __assign_str_len
#define __assign_str_len(item, src, len) \
	strata_copy_bytes(__get_str(item), __get_dynamic_array_len(item), src, len)
#undef __assign_vstr
#define __assign_vstr(item, fmt, va) \
	strata_copy_format(__get_str(item), __get_dynamic_array_len(item), fmt, va)
#undef __assign_bitmask
#define __assign_bitmask(item, src, nr_bits) \
	memcpy(__get_dynamic_array(item), src, __get_dynamic_array_len(item))
#undef __assign_cpumask
#define __assign_cpumask(item, src) __assign_bitmask(item, src, nr_cpumask_bits)
#undef __assign_sockaddr
#define __assign_sockaddr(item, src, len) memcpy(__get_dynamic_array(item), src, len)
#undef __assign_rel_str
#define __assign_rel_str(item, src) __assign_str(item, src)
#undef __assign_rel_str_len
#define __assign_rel_str_len(item, src, len) __assign_str_len(item, src, len)
#undef __assign_rel_bitmask
#define __assign_rel_bitmask(item, src, nr_bits) __assign_bitmask(item, src, nr_bits)
#undef __assign_rel_cpumask
#define __assign_rel_cpumask(item, src) __assign_cpumask(item, src)
#undef __assign_rel_sockaddr
#define __assign_rel_sockaddr(item, src, len) __assign_sockaddr(item, src, len)

#undef __perf_count
#define __perf_count(c) (c)
#undef __perf_task
#define __perf_task(t) (t)
