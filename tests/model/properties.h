/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * properties.h - what the models say of a ring, by name: the name of a property
 * that is violated is the last word of what Spin prints of it.  The variables are
 * never true; "hidden" keeps them out of the states.
 */
#define PROPERTY(name, condition) assert((condition) || name)

hidden byte slot_is_won_once;             /* no two writers have the same unit */
hidden byte unread_byte_stays;            /* discard: nothing is written over what is not read */
hidden byte only_committed_bytes_read;    /* of the turn that the reader came for */
hidden byte finished_subbuf_delivered;    /* once no context is under way */
hidden byte committed_prefix_told;        /* likewise, of the sub-buffer that is being written */
hidden byte steps_are_bounded;            /* a loop turns only for somebody nested who finished */
hidden byte lost_only_without_room;
hidden byte passed_over_only_overwritten; /* overwrite: a gap is an overwritten sub-buffer */
hidden byte read_in_order_once;
hidden byte time_never_goes_back;
hidden byte losses_never_go_back;
hidden byte no_probe_after_stop;
hidden byte flushed_by_stop;
