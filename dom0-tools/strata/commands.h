/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.h - the verbs of the strata command, main.c calls them. */
#ifndef STRATA_STRATA_COMMANDS_H
#define STRATA_STRATA_COMMANDS_H

int strata_cmd_record(int argc, char **argv);
int strata_cmd_create(int argc, char **argv);
int strata_cmd_destroy(int argc, char **argv);
int strata_cmd_start(int argc, char **argv);
int strata_cmd_stop(int argc, char **argv);
int strata_cmd_status(int argc, char **argv);
int strata_cmd_rotate(int argc, char **argv);
int strata_cmd_enable_rotation(int argc, char **argv);
int strata_cmd_disable_rotation(int argc, char **argv);
int strata_cmd_clear(int argc, char **argv);
int strata_cmd_set_session(int argc, char **argv);
int strata_cmd_enable_channel(int argc, char **argv);
int strata_cmd_disable_channel(int argc, char **argv);
int strata_cmd_enable_event(int argc, char **argv);
int strata_cmd_disable_event(int argc, char **argv);
int strata_cmd_add_context(int argc, char **argv);
int strata_cmd_track(int argc, char **argv);
int strata_cmd_untrack(int argc, char **argv);
int strata_cmd_save(int argc, char **argv);
int strata_cmd_load(int argc, char **argv);
int strata_cmd_top(int argc, char **argv);
int strata_cmd_trigger(int argc, char **argv);
int strata_cmd_add_trigger(int argc, char **argv);
int strata_cmd_remove_trigger(int argc, char **argv);
int strata_cmd_list_triggers(int argc, char **argv);
int strata_cmd_list(int argc, char **argv);
int strata_cmd_select(int argc, char **argv);
int strata_cmd_snapshot(int argc, char **argv);
int strata_cmd_recover(int argc, char **argv);
int strata_cmd_merge(int argc, char **argv);
int strata_cmd_import(int argc, char **argv);
int strata_cmd_view(int argc, char **argv);
int strata_cmd_convert(int argc, char **argv);
int strata_cmd_stat(int argc, char **argv);
int strata_cmd_report(int argc, char **argv);
int strata_cmd_why(int argc, char **argv);
int strata_cmd_timeline(int argc, char **argv);
int strata_cmd_sql(int argc, char **argv);
int strata_cmd_version(int argc, char **argv);

#endif /* STRATA_STRATA_COMMANDS_H */
