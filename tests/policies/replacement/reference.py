"""The replacement policies once more, slowly, with dicts and lists: each a function of pages and lines to hits."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.replacement import HIT, access, make_cache
from pmtwin.sim.draws import bits, high_uniform

FAR = 10**9


def lru(pages, lines):
    cached, hits = [], []
    for page in pages:
        hits.append(page in cached)
        if page in cached:
            cached.remove(page)
        elif len(cached) == lines:
            cached.pop(0)
        cached.append(page)
    return hits


def lfu(pages, lines):
    counts, since, hits = {}, {}, []
    for now, page in enumerate(pages):
        hits.append(page in counts)
        if page not in counts and len(counts) == lines:
            gone = min(counts, key=lambda each: (counts[each], since[each]))
            del counts[gone]
        counts[page] = counts.get(page, 0) + 1
        since[page] = now
    return hits


def random(pages, lines):
    key, cached, hits, drawn = make_cache("random", lines).order.state["key"][0], [], [], 0
    for page in pages:
        hits.append(page in cached)
        if page not in cached and len(cached) < lines:
            cached.append(page)
        elif page not in cached:
            number = np.uint64(bits(key, np.uint64(drawn), np.uint64(0)))
            cached[int(high_uniform(number) * lines)] = page
            drawn += 1
    return hits


def belady(pages, lines):
    cached, hits = set(), []
    for now, page in enumerate(pages):
        hits.append(page in cached)
        if page not in cached and len(cached) == lines:
            following = list(pages[now + 1 :])
            cached.remove(max(cached, key=lambda each: following.index(each) if each in following else FAR))
        cached.add(page)
    return hits


def sieve(pages, lines):
    queue, used, hand, hits = [], {}, 0, []  # the oldest first; the hand is a place in the queue
    for page in pages:
        hits.append(page in queue)
        if page in queue:
            used[page] = True
            continue
        if len(queue) == lines:
            hand %= lines
            while used[queue[hand]]:
                used[queue[hand]] = False
                hand = (hand + 1) % lines
            queue.pop(hand)
        # a hand at the end of the queue stands on nothing: the next search begins with the oldest
        hand = FAR if hand >= len(queue) else hand
        queue.append(page)
        used[page] = False
        hand = 0 if hand == FAR else hand
    return hits


def s3_fifo(pages, lines):
    small, main, ghosts, uses, hits = [], [], [], {}, []
    small_lines, most_ghosts, evicted = int(lines * 0.1), max(int(lines * 0.9), 1), False
    for page in pages:
        hits.append(page in uses)
        if page in uses:
            uses[page] += 1
            continue
        known = page in ghosts
        if known:
            ghosts.remove(page)
        while len(small) + len(main) == lines:
            evicted = True
            if len(main) > lines - small_lines or not small:
                while main:
                    gone = main.pop(0)
                    if uses[gone] == 0:
                        del uses[gone]
                        break
                    uses[gone] = min(uses[gone], 3) - 1
                    main.append(gone)
            else:
                while small:
                    gone = small.pop(0)
                    if uses[gone] < 2:
                        del uses[gone]
                        ghosts = [*ghosts, gone][-most_ghosts:]
                        break
                    uses[gone] = 0
                    main.append(gone)
        (main if known or (not evicted and len(small) >= small_lines) else small).append(page)
        uses[page] = 0
    return hits


def arc(pages, lines):
    """Figure 4 of Megiddo and Modha, line by line; the oldest of each list comes first."""
    t1, t2, b1, b2, p, hits = [], [], [], [], 0.0, []

    def replace(page):
        if t1 and (len(t1) > p or (page in b2 and len(t1) == p)):
            b1.append(t1.pop(0))
        else:
            b2.append(t2.pop(0))

    for page in pages:
        hits.append(page in t1 or page in t2)
        if hits[-1]:
            (t1 if page in t1 else t2).remove(page)
            t2.append(page)
        elif page in b1:
            p = min(float(lines), p + max(1.0, len(b2) / len(b1)))
            replace(page)
            b1.remove(page)
            t2.append(page)
        elif page in b2:
            p = max(0.0, p - max(1.0, len(b1) / len(b2)))
            replace(page)
            b2.remove(page)
            t2.append(page)
        else:
            if len(t1) + len(b1) == lines:
                if len(t1) < lines:
                    b1.pop(0)
                    replace(page)
                else:
                    t1.pop(0)
            elif len(t1) + len(t2) + len(b1) + len(b2) >= lines:
                if len(t1) + len(t2) + len(b1) + len(b2) == 2 * lines:
                    b2.pop(0)
                if len(t1) + len(t2) == lines:
                    replace(page)
            t1.append(page)
    return hits


def weight_sharing(pages, lines, shadow, epoch_misses, beta=0.7, share=0.01, threshold=0.25):
    """LRU and LFU as experts; the greater weight chooses."""
    weights, errors, named = [0.5, 0.5], [0, 0], {}
    counts, since, last, misses, hits = {}, {}, {}, 0, []
    for now, page in enumerate(pages):
        hits.append(page in counts)
        if shadow or page not in counts:
            for expert in named.get(page, ()):
                errors[expert] += 1
        if page not in counts and len(counts) == lines:
            victims = min(counts, key=last.get), min(counts, key=lambda each: (counts[each], since[each]))
            for expert, victim in enumerate(victims):
                named.setdefault(victim, set()).add(expert)
            del counts[victims[weights.index(max(weights))]]
            misses += 1
            if misses == epoch_misses:
                weights = [w * beta**e if e >= threshold * misses else w for w, e in zip(weights, errors, strict=True)]
                weights = [(1.0 - share) * w / sum(weights) + share / 2 for w in weights]
                errors, named, misses = [0, 0], {}, 0
        counts[page] = counts.get(page, 0) + 1
        since[page] = last[page] = now
    return hits


def hedge(pages, lines, experts=("lru", "lfu", "sieve"), rate=16.0, share=0.01):
    """The experts' caches are the compiled ones, which have references of their own; all else is written anew."""
    count, hits, drawn = len(experts), [], 0
    key = make_cache(f"hedge:experts={'+'.join(experts)}", lines).hedge.state["key"][0]
    caches, contents = [make_cache(name, lines) for name in experts], [set() for _ in experts]
    line_of, strangers, misses, weights = {}, [], [0] * count, np.full(count, 1.0 / count)

    def number():
        nonlocal drawn
        drawn += 1
        return high_uniform(np.uint64(bits(key, np.uint64(drawn - 1), np.uint64(0))))

    def draw(shares):
        return int(np.searchsorted(np.cumsum(shares), number() * shares.sum(), side="right"))

    chosen = draw(weights)
    for page in pages:
        for expert, cache in enumerate(caches):
            gone = access(cache, page, 0)
            misses[expert] += gone != HIT
            contents[expert] = (contents[expert] - {gone}) | {page}
            if expert == chosen and gone in line_of:
                strangers.append(gone)
        hits.append(page in line_of)
        if page in line_of:
            strangers = [each for each in strangers if each != page]
        else:
            line_of[page] = len(line_of) if len(line_of) < lines else line_of.pop(strangers.pop(0))
        if max(misses) < lines:
            continue
        new = weights * np.exp(-rate * (np.array(misses) - min(misses)) / lines)
        new = (1.0 - share) * new / new.sum() + share / count
        if number() * weights[chosen] >= new[chosen]:
            chosen = draw(np.maximum(new - weights, 0.0))
            strangers = [each for each in sorted(line_of, key=line_of.get) if each not in contents[chosen]]
        weights, misses = new, [0] * count
    return hits
