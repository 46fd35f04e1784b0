// SPDX-License-Identifier: GPL-2.0-only
/*
 * heldlock.c - a spinlock of the kernel that programs can hold: /proc/heldlock.
 *
 * A write of a decimal number holds the lock for so many microseconds, by the time stamp counter. A
 * read takes the lock, releases it at once, and returns 0: the end of the file.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/spinlock.h>
#include <linux/timex.h>

#define HOLD_US_MAX 10000u

static DEFINE_SPINLOCK(held);

static ssize_t hold(struct file *file, const char __user *text, size_t bytes, loff_t *offset)
{
	unsigned int us;
	cycles_t begin;
	int err = kstrtouint_from_user(text, bytes, 10, &us);

	if (err || us > HOLD_US_MAX)
		return err ?: -ERANGE;
	spin_lock(&held);
	begin = get_cycles();
	while (get_cycles() - begin < (cycles_t)us * tsc_khz / 1000)
		cpu_relax();
	spin_unlock(&held);
	return (ssize_t)bytes;
}

static ssize_t take(struct file *file, char __user *text, size_t bytes, loff_t *offset)
{
	spin_lock(&held);
	spin_unlock(&held);
	return 0;
}

static const struct proc_ops ops = { .proc_write = hold, .proc_read = take };

static int __init heldlock_init(void)
{
	return proc_create("heldlock", 0600, NULL, &ops) ? 0 : -ENOMEM;
}

static void __exit heldlock_exit(void)
{
	remove_proc_entry("heldlock", NULL);
}

module_init(heldlock_init);
module_exit(heldlock_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A spinlock that programs can hold, for tests");
