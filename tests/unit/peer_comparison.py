# SPDX-License-Identifier: GPL-2.0-or-later
"""peer_comparison.py - compares figures of Strata with those of a second evaluation, and prints differences."""


class Comparison:
    def __init__(self):
        self.differences, self.figures = 0, 0

    def same(self, what, got, want, share=0.0):
        self.figures += 1
        if got is None or want is None:
            wrong = got != want
        else:
            wrong = abs(got - want) > share * want
        if wrong:
            self.differences += 1
            if self.differences <= 30:
                print("%s: the report says %s, and it is %s" % (what, got, want))

    def rows(self, what, got, want):
        self.same(what + ": rows that are missing: %s; that are too much: %s" %
                  (sorted(map(str, want - got))[:5], sorted(map(str, got - want))[:5]), len(got ^ want), 0)


def percentile(values, of_a_million):
    return sorted(values)[max(-(-len(values) * of_a_million // 1000000), 1) - 1]
