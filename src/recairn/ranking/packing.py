"""What to inject when not everything fits: relevance, diversity and length, weighed together.

The worth of a selection is the sum over its candidates of

    score · share^0.4 · (1 − ½ · nearness to a better one chosen)

where `share` is how much of its text a shortened candidate keeps: the beginning says most. Nothing
ever exceeds the budget. Near-duplicates of something better are folded away, never injected.
"""

from __future__ import annotations

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

# Half of a text, cut at a sentence end, is worth three quarters of it; a fifth of it, half.
_SHORTENING = 0.4
# What repeats a better one word for word, were it not folded, would be worth half.
_REDUNDANCY = 0.5
# Less than this share of telling words in common rules a near-duplicate out without a closer look.
_ALIKE = 0.7
# How a step of the greedy choice is judged: gain per token to this power.
_THRIFTS = (0.0, 0.5, 1.0)
# Candidates left without room that may take the place of a chosen one.
_SECOND_LOOKS = 8


@record
class Form:
    """One way to show a candidate: its cost, how much of the whole text it keeps, its lines."""

    weight: float
    characters: int
    share: float
    lines: tuple[str, ...] = ()


@record
class Candidate:
    """Something that may be injected; `forms` from the shortest to the whole."""

    id: int
    score: float
    text: str
    words: frozenset[str]
    forms: tuple[Form, ...]


class Room:
    """What may be spent: weight (tokens before rounding), characters, and candidates.

    Not a record: packing makes one at each step, and a record takes six times as long to make.
    """

    __slots__ = ("characters", "count", "weight")

    def __init__(self, weight: float, characters: int, count: int) -> None:
        self.weight = weight
        self.characters = characters
        self.count = count

    def part(self, share: float) -> Room:
        """That share of it, for as many candidates."""
        return Room(share * self.weight, int(share * self.characters), self.count)

    def limited(self, count: int) -> Room:
        """The same for so many candidates."""
        return Room(self.weight, self.characters, count)

    def less(self, forms: Collection[Form]) -> Room:
        """What is left of it after those."""
        return Room(
            self.weight - sum([form.weight for form in forms]),
            self.characters - sum([form.characters for form in forms]),
            self.count - len(forms),
        )

    def plus(self, forms: Collection[Form]) -> Room:
        """What there is of it once those are given back."""
        return Room(
            self.weight + sum([form.weight for form in forms]),
            self.characters + sum([form.characters for form in forms]),
            self.count + len(forms),
        )

    def for_one(self, form: Form) -> Room:
        """What there is for one candidate that gives a form back for a longer one."""
        return Room(self.weight + form.weight, self.characters + form.characters, 1)

    def takes(self, form: Form) -> bool:
        """Whether there is room for one more."""
        return form.weight <= self.weight and form.characters <= self.characters and self.count >= 1


@record
class Packing:
    """The chosen candidates with the number of their form, and why others were left out."""

    chosen: Mapping[int, int]
    left_out: Mapping[int, str]


def pack(candidates: Sequence[Candidate], room: Room, already: Sequence[Candidate] = ()) -> Packing:
    """The selection worth most that fits; candidates come best first.

    What says the same as one that is injected `already` is folded away too.
    """
    left_out: dict[int, str] = {}
    distinct = _distinct(candidates, left_out, already)
    by_id = {candidate.id: candidate for candidate in distinct}
    nearness = _Nearness(distinct)
    best: dict[int, int] = {}
    for thrift in _THRIFTS:
        chosen = _greedy(distinct, room, nearness, thrift)
        if not best or _worth(chosen, by_id, nearness) > _worth(best, by_id, nearness):
            best = chosen
        # A thrifty choice may be whole and complete and still have passed better ones by.
        if thrift == 0.0 and _nothing_lacking(chosen, by_id, room):
            break
    else:
        best = _improved(best, distinct, room, nearness)
    for candidate in distinct:
        if candidate.id not in best:
            left_out[candidate.id] = "beyond the limit" if len(best) >= room.count else "no room"
    order = {candidate.id: place for place, candidate in enumerate(candidates)}
    chosen = {memory: best[memory] for memory in sorted(best, key=order.__getitem__)}
    return Packing(chosen, left_out)


def pack_in_order(
    candidates: Sequence[Candidate], room: Room, already: Sequence[Candidate] = ()
) -> Packing:
    """As many as fit, the first first; then the first are shown as whole as there is room."""
    left_out: dict[int, str] = {}
    chosen: dict[int, int] = {}
    for candidate in _distinct(candidates, left_out, already):
        if room.takes(candidate.forms[0]):
            chosen[candidate.id] = 0
            room = room.less([candidate.forms[0]])
        else:
            left_out[candidate.id] = "beyond the limit" if room.count < 1 else "no room"
    for candidate in candidates:
        if candidate.id in chosen:
            forms = candidate.forms
            back = room.for_one(forms[0])
            number = max(n for n, form in enumerate(forms) if back.takes(form) or n == 0)
            chosen[candidate.id] = number
            room = back.less([forms[number]])
    return Packing(chosen, left_out)


def _distinct(
    candidates: Sequence[Candidate], left_out: dict[int, str], already: Sequence[Candidate] = ()
) -> list[Candidate]:
    """The candidates without those that say what a better one, or one injected already, says."""
    distinct: list[Candidate] = []
    for candidate in candidates:
        others = (*already, *distinct)
        same = next((other for other in others if _says_the_same(candidate, other)), None)
        if same is None:
            distinct.append(candidate)
        else:
            left_out[candidate.id] = f"says what #{same.id} says"
    return distinct


def _says_the_same(one: Candidate, other: Candidate) -> bool:
    small, large = sorted((len(one.words), len(other.words)))
    if small < _ALIKE * large or len(one.words & other.words) < _ALIKE * large:
        return False
    from recairn.core.derived import NEAR_DUPLICATE, near_duplicate

    return near_duplicate(one.text, other.text) >= NEAR_DUPLICATE


class _Nearness:
    """How near two candidates are (word overlap), each pair computed once."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._words = {candidate.id: candidate.words for candidate in candidates}
        self._shares: dict[tuple[int, int], float] = {}

    def __call__(self, one: int, other: int) -> float:
        pair = (one, other) if one < other else (other, one)
        if pair not in self._shares:
            first, second = self._words[one], self._words[other]
            union = len(first | second)
            self._shares[pair] = len(first & second) / union if union else 0.0
        return self._shares[pair]


def _value(candidate: Candidate, form: int) -> float:
    return candidate.score * float(candidate.forms[form].share ** _SHORTENING)


def _worth(chosen: Mapping[int, int], by_id: Mapping[int, Candidate], nearness: _Nearness) -> float:
    """What a selection is worth, each counted less the nearer it is to a better one."""
    ranked = sorted(chosen, key=lambda memory: (-by_id[memory].score, memory))
    worth = 0.0
    for place, memory in enumerate(ranked):
        near = max((nearness(memory, better) for better in ranked[:place]), default=0.0)
        worth += _value(by_id[memory], chosen[memory]) * (1.0 - _REDUNDANCY * near)
    return worth


def _greedy(
    candidates: Sequence[Candidate], room: Room, nearness: _Nearness, thrift: float
) -> dict[int, int]:
    """Step by step the addition, or the longer form, with the best gain for its cost."""
    chosen: dict[int, int] = {}
    near = dict.fromkeys((candidate.id for candidate in candidates), 0.0)
    while True:
        best: Candidate | None = None
        best_gain = 0.0
        for candidate in candidates:
            gain = _gain(candidate, chosen, room, near[candidate.id], thrift)
            if gain > best_gain:
                best, best_gain = candidate, gain
        if best is None:
            return chosen
        before = chosen.get(best.id)
        step = _step(best, before, room, thrift)
        assert step is not None
        spent = best.forms[step]
        if before is None:
            chosen[best.id] = step
            room = room.less([spent])
            for memory in near:
                near[memory] = max(near[memory], nearness(memory, best.id))
        else:
            room = _after_swap(room, best.forms[before], spent)
            chosen[best.id] = step


def _step(candidate: Candidate, form: int | None, room: Room, thrift: float) -> int | None:
    """The form the next step would give a candidate; None when there is none or no room for it.

    Where tokens do not count the whole text comes first, else the shortest.
    """
    if form is None:
        if room.count < 1:
            return None
        order = range(len(candidate.forms))
        trials = reversed(order) if thrift == 0.0 else order[:1]
        return next((number for number in trials if room.takes(candidate.forms[number])), None)
    longer = form + 1
    if longer >= len(candidate.forms):
        return None
    now, then = candidate.forms[form], candidate.forms[longer]
    light = then.weight - now.weight <= room.weight
    return longer if light and then.characters - now.characters <= room.characters else None


def _after_swap(room: Room, before: Form, after: Form) -> Room:
    return Room(
        room.weight + before.weight - after.weight,
        room.characters + before.characters - after.characters,
        room.count,
    )


def _gain(
    candidate: Candidate, chosen: Mapping[int, int], room: Room, near: float, thrift: float
) -> float:
    """What the next step with a candidate is worth for its cost; 0 when there is none."""
    before = chosen.get(candidate.id)
    step = _step(candidate, before, room, thrift)
    if step is None:
        return 0.0
    cost = candidate.forms[step].weight
    value = _value(candidate, step)
    if before is not None:
        cost -= candidate.forms[before].weight
        value -= _value(candidate, before)
        near = 0.0
    return value * (1.0 - _REDUNDANCY * near) / float(max(cost, 1.0) ** thrift)


def _nothing_lacking(chosen: Mapping[int, int], by_id: Mapping[int, Candidate], room: Room) -> bool:
    """Whether room was no constraint: all chosen are whole, and all or enough are chosen."""
    whole = all(form == len(by_id[memory].forms) - 1 for memory, form in chosen.items())
    return whole and (len(chosen) == len(by_id) or len(chosen) >= room.count)


def _improved(
    chosen: Mapping[int, int], candidates: Sequence[Candidate], room: Room, nearness: _Nearness
) -> dict[int, int]:
    """The selection after exchanges that make it worth more: one out, one in, the rest longer."""
    by_id = {candidate.id: candidate for candidate in candidates}
    best = dict(chosen)
    rest = [candidate for candidate in candidates if candidate.id not in chosen]
    for candidate in rest[:_SECOND_LOOKS]:
        worth = _worth(best, by_id, nearness)
        for leaving in sorted(best, key=lambda memory: _value(by_id[memory], best[memory])):
            trial = {memory: form for memory, form in best.items() if memory != leaving}
            left = room.less([by_id[memory].forms[form] for memory, form in trial.items()])
            step = _step(candidate, None, left, 0.0)
            if step is None:
                continue
            trial[candidate.id] = step
            trial = _lengthened(trial, by_id, room)
            if _worth(trial, by_id, nearness) > worth + 1e-12:
                best = trial
                break
    return _lengthened(best, by_id, room)


def _lengthened(
    chosen: Mapping[int, int], by_id: Mapping[int, Candidate], room: Room
) -> dict[int, int]:
    """The same selection with longer forms where there is room, the best scores first."""
    forms = dict(chosen)
    left = room.less([by_id[memory].forms[form] for memory, form in forms.items()])
    for memory in sorted(forms, key=lambda memory: (-by_id[memory].score, memory)):
        candidate = by_id[memory]
        while (step := _step(candidate, forms[memory], left, 1.0)) is not None:
            left = _after_swap(left, candidate.forms[forms[memory]], candidate.forms[step])
            forms[memory] = step
    return forms
