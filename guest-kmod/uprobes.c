// SPDX-License-Identifier: GPL-2.0-only
/*
 * uprobes.c - see uprobes.h.
 *
 * The kernel calls the handlers in the program's task, with preemption on, and waits for them when
 * a probe is unregistered.  It keeps up to 64 nested calls of a task in mind; of deeper ones it
 * does not see the return, and does not say so.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uprobes.h>

#include "elf_symbols.h"
#include "probes.h"
#include "uprobes.h"

struct strata_uprobe {
	struct strata_probe probe;
	struct uprobe_consumer consumer;
	struct path path; /* held: no other file takes its place */
	u64 offset;
};

static int on_hit(struct uprobe_consumer *consumer, struct pt_regs *regs)
{
	const struct strata_uprobe *uprobe = container_of(consumer, struct strata_uprobe, consumer);
	const struct strata_probe_hit hit = { .numbers = { instruction_pointer(regs) } };

	preempt_disable();
	strata_probe_record(&uprobe->probe, regs, &hit);
	preempt_enable();
	return 0;
}

static int on_return(struct uprobe_consumer *consumer, unsigned long func, struct pt_regs *regs)
{
	const struct strata_uprobe *uprobe = container_of(consumer, struct strata_uprobe, consumer);
	const struct strata_probe_hit hit = { .numbers = { func, regs_return_value(regs) } };

	preempt_disable();
	strata_probe_record(&uprobe->probe, regs, &hit);
	preempt_enable();
	return 0;
}

static struct inode *inode_of(const struct path *path)
{
	return d_real_inode(path->dentry);
}

static int attach_to(struct strata_uprobe *uprobe)
{
	return uprobe_register(inode_of(&uprobe->path), uprobe->offset, &uprobe->consumer);
}

static void detach_from(struct strata_uprobe *uprobe)
{
	uprobe_unregister(inode_of(&uprobe->path), uprobe->offset, &uprobe->consumer);
}

static int attach(struct strata_event *event)
{
	return attach_to(container_of(event, struct strata_uprobe, probe.event));
}

static void detach(struct strata_event *event)
{
	detach_from(container_of(event, struct strata_uprobe, probe.event));
}

static void remove(struct strata_probe *probe)
{
	struct strata_uprobe *uprobe = container_of(probe, struct strata_uprobe, probe);

	strata_probe_clear(probe);
	path_put(&uprobe->path);
	kfree(uprobe);
}

/* Finds a regular file.  A file system in user space is refused: a command must not wait for a
 * program that may never answer. */
static int find_file(const char *name, struct path *path)
{
	int err = *name == '/' ? kern_path(name, LOOKUP_FOLLOW, path) : -EINVAL;

	if (err)
		return err;
	if (S_ISREG(inode_of(path)->i_mode) && inode_of(path)->i_sb->s_magic != FUSE_SUPER_MAGIC)
		return 0;
	path_put(path);
	return -EINVAL;
}

static int find_symbol(const struct path *path, const char *symbol, u64 *offset)
{
	struct file *file = dentry_open(path, O_RDONLY | O_LARGEFILE, current_cred());
	int err;

	if (IS_ERR(file))
		return PTR_ERR(file);
	err = strata_elf_symbol(file, symbol, offset);
	fput(file);
	return err;
}

/* Finds the offset of "SYMBOL", "SYMBOL+OFFSET" or "OFFSET" in the file. */
static int find_place(const struct path *path, char *place, bool returns, u64 *offset)
{
	const char *symbol = strsep(&place, "+");
	u64 behind = 0;
	int err;

	if (isdigit(*symbol))
		return place || kstrtou64(symbol, 0, offset) ? -EINVAL : 0;
	if (!*symbol || (place && (returns || !isdigit(*place) || kstrtou64(place, 0, &behind))))
		return -EINVAL;
	err = find_symbol(path, symbol, offset);
	if (!err)
		*offset += behind;
	return err;
}

/* Makes a probe of a file, which it holds then.  0 or a negative error. */
static int add(const struct strata_probe_request *request, const struct path *path, u64 offset)
{
	struct strata_uprobe *uprobe;
	int err;

	/* The kernel checks it against the file's size. */
	if (offset > LLONG_MAX)
		return -EINVAL;
	if (!strata_probes_have_room(1))
		return -ENOSPC;
	uprobe = kzalloc(sizeof(*uprobe), GFP_KERNEL);
	if (!uprobe)
		return -ENOMEM;
	err = strata_probe_init(&uprobe->probe, request);
	if (err) {
		kfree(uprobe);
		return err;
	}
	if (request->kind == STRATA_PROBE_RETURN)
		uprobe->consumer.ret_handler = on_return;
	else
		uprobe->consumer.handler = on_hit;
	uprobe->path = *path;
	path_get(path);
	uprobe->offset = offset;
	uprobe->probe.event.attach = attach;
	uprobe->probe.event.detach = detach;
	uprobe->probe.remove = remove;
	/* Whether the kernel takes it is known now, and not only when the recording starts. */
	err = attach_to(uprobe);
	if (err) {
		remove(&uprobe->probe);
		return err;
	}
	detach_from(uprobe);
	strata_probes_add(&uprobe->probe);
	return 0;
}

/* Adds it unless it exists.  @place: of @request, its own copy.  0 or a negative error. */
static int find_or_add(const struct strata_probe_request *request, const struct path *path,
		       char *place)
{
	struct strata_probe *probe;
	u64 offset;
	int err = strata_probe_find(request, &probe);

	if (err)
		return err;
	if (probe) {
		const struct strata_uprobe *uprobe =
			container_of(probe, struct strata_uprobe, probe);

		return inode_of(&uprobe->path) == inode_of(path) ? 0 : -ESTALE;
	}
	err = find_place(path, place, request->kind == STRATA_PROBE_RETURN, &offset);
	return err ?: add(request, path, offset);
}

/* "PATH:PLACE" */
static int find_file_and_add(struct strata_probe_request *request, char *text)
{
	char *place = strrchr(text, ':');
	struct path path;
	int err;

	if (!strata_probe_is_name(request->name) || !place)
		return -EINVAL;
	*place++ = '\0';
	err = find_file(text, &path);
	if (err)
		return err;
	err = find_or_add(request, &path, place);
	path_put(&path);
	return err;
}

int strata_uprobes_add(const char *group, const char *name, char *place)
{
	char *words = place;
	char *first = strsep(&words, " ");
	struct strata_probe_request request = {
		.group = group,
		.name = name,
		.place = first,
		.words = words,
		.kind = strcmp(group, "uretprobe") ? STRATA_PROBE_HIT : STRATA_PROBE_RETURN,
		.of_program = true,
	};
	char *copy;
	int err;

	/* As for local users, and for kprobes: the kernel's lockdown applies to domain 0 too. */
	if (security_locked_down(LOCKDOWN_KPROBES)) {
		pr_warn("no %s: this kernel is locked down\n", group);
		return -EPERM;
	}
	copy = kstrdup(first, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	err = find_file_and_add(&request, copy);
	kfree(copy);
	if (err == -ESTALE)
		pr_warn("no %s: another file has taken the place of %s; give the event another name\n",
			group, first);
	else if (err)
		pr_warn("no %s on %s with \"%s\" (error %d)\n", group, first, words ?: "", err);
	return err;
}
