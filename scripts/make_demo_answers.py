"""Write the answers of three language models to a quiz, `data/demo/answers`, as logs of lm-evaluation-harness.

    python scripts/make_demo_answers.py

We wrote the quiz: 240 questions in four categories, with four choices each. The models are real and small: character
n-grams of order 5, 9 and 14 with Witten-Bell smoothing, trained on parts of a collection of similar sentences. A
choice's score is the log-likelihood of its characters after the question; the model answers with the likeliest choice.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "packages/cli/src/howsure_cli/demo/answers"
DATE = "2026-11-20T09-00-00.000000"
MODELS = {"ngram-5": (5, 0.55), "ngram-9": (9, 0.65), "ngram-14": (14, 0.65)}  # characters, share of the facts it saw
EACH = 60  # questions of a category
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
PLURALS = """
apple apples, baby babies, bench benches, berry berries, bird birds, box boxes, boy boys, branch branches, bus buses,
chair chairs, cherry cherries, child children, church churches, city cities, class classes, cloud clouds, country
countries, cow cows, day days, deer deer, dish dishes, dog dogs, donkey donkeys, dress dresses, family families, fly
flies, foot feet, fox foxes, glass glasses, goose geese, half halves, hero heroes, horse horses, key keys, knife knives,
lady ladies, leaf leaves, life lives, loaf loaves, lorry lorries, man men, match matches, monkey monkeys, mouse mice,
party parties, peach peaches, pen pens, pony ponies, potato potatoes, river rivers, road roads, sheep sheep, shelf
shelves, ship ships, sky skies, song songs, spy spies, story stories, thief thieves, tomato tomatoes, tooth teeth, toy
toys, tree trees, valley valleys, wall walls, watch watches, wife wives, wish wishes, wolf wolves, woman women
"""
OPPOSITES = """
hot cold, big small, old young, early late, fast slow, rich poor, full empty, hard soft, light dark, high low, wet dry,
loud quiet, long short, strong weak, thick thin, wide narrow, deep shallow, happy sad, clean dirty, open closed,
up down, left right, in out, over under, day night, love hate, win lose, buy sell, push pull, begin end, arrive leave,
give take,
remember forget, laugh cry, rise fall, build destroy, float sink, find lose, ask answer, accept refuse, friend enemy,
question answer, summer winter, north south, east west, front back, top bottom, first last, near far, alive dead,
cheap expensive, easy difficult, sharp blunt, sweet bitter, tight loose, true false, safe dangerous, brave timid,
smooth rough, heavy light
"""

Fact = tuple[str, str, list[str]]  # a question's beginning, its right end, wrong ends


def pairs(text: str) -> list[tuple[str, str]]:
    """Return the two words of each entry of a list."""
    return [(a, b) for a, b in (entry.split() for entry in text.replace("\n", " ").split(","))]


def sums(rng: random.Random) -> Iterator[Fact]:
    """Return questions about small sums, in figures."""
    for a in range(2, 13):
        for b in range(2, 13):
            wrong = rng.sample([a + b + off for off in (-3, -2, -1, 1, 2, 3, 10)], 3)
            yield f"{a} plus {b} is", str(a + b), [str(number) for number in wrong]


def days(rng: random.Random) -> Iterator[Fact]:
    """Return questions about days of the week, some days later."""
    for at, day in enumerate(DAYS):
        for n, number in enumerate(NUMBERS[:11], start=1):
            right = DAYS[(at + n) % 7]
            yield (
                f"{number} days after {day} comes",
                right,
                rng.sample([other_day for other_day in DAYS if other_day != right], 3),
            )


def plurals(rng: random.Random) -> Iterator[Fact]:
    """Return questions about plurals of nouns; wrong choices follow other rules."""
    for singular, many in pairs(PLURALS):
        stem = singular[:-1]
        formed = {singular, singular + "s", singular + "es", stem + "ies", stem + "ves", singular + "en"} - {many}
        yield f"one {singular}, two", many, rng.sample(sorted(formed), 3)


def opposites(rng: random.Random) -> Iterator[Fact]:
    """Return questions about opposites; wrong choices are opposites of other words."""
    ends = sorted({b for _, b in pairs(OPPOSITES)})
    for word, other in pairs(OPPOSITES):
        yield f"the opposite of {word} is", other, rng.sample([end for end in ends if end not in (word, other)], 3)


class NGram:
    """A character model: how often each character follows a context, with longer contexts smoothed by shorter ones."""

    def __init__(self, order: int, text: list[str]) -> None:
        self.order = order
        self.after: dict[str, Counter[str]] = defaultdict(Counter)
        for sentence in text:
            for at, character in enumerate(sentence):
                for length in range(min(at, order - 1) + 1):
                    self.after[sentence[at - length : at]][character] += 1

    def probability(self, context: str, character: str) -> float:
        """Return the probability of a character after its context, by Witten-Bell smoothing."""
        counts = self.after.get(context)
        shorter = self.probability(context[1:], character) if context else 1 / 128
        if not counts:
            return shorter
        kinds, n = len(counts), counts.total()
        return (counts[character] + kinds * shorter) / (n + kinds)

    def likelihood(self, beginning: str, end: str) -> float:
        """Return the log-likelihood of `end` after `beginning`."""
        sentence = beginning + end
        return sum(
            math.log(self.probability(sentence[max(0, at - self.order + 1) : at], sentence[at]))
            for at in range(len(beginning), len(sentence))
        )


def main() -> None:
    """Make the quiz, train the models, and write their answers."""
    rng = random.Random(20261127)
    facts = {kind.__name__: list(kind(rng)) for kind in (sums, days, plurals, opposites)}
    facts_asked = [(kind, fact) for kind, those in facts.items() for fact in sorted(rng.sample(those, EACH))]
    for name, (order, share) in MODELS.items():
        known_facts = [fact for those in facts.values() for fact in those if rng.random() < share]
        model = NGram(
            order,
            [f"{beginning} {right}." for beginning, right, _ in known_facts for _ in range(rng.choice((1, 2, 4)))],
        )
        path = FOLDER / name / f"samples_quiz_{DATE}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as log:
            order_of_choices = random.Random(1)
            for item, (kind, (beginning, right, wrong)) in enumerate(facts_asked):
                choices = [right, *wrong]
                order_of_choices.shuffle(choices)
                likelihoods = [round(model.likelihood(beginning, f" {choice}."), 3) for choice in choices]
                pairs_of = [[str(likelihood), "False"] for likelihood in likelihoods]
                answer = likelihoods.index(max(likelihoods))
                line = {
                    "doc_id": item,
                    "doc": {"question": beginning, "choices": choices, "category": kind},
                    "target": str(choices.index(right)),
                    "resps": [[pair] for pair in pairs_of],
                    "filtered_resps": pairs_of,
                    "filter": "none",
                    "metrics": ["acc"],
                    "acc": float(choices[answer] == right),
                }
                print(json.dumps(line), file=log)


if __name__ == "__main__":
    main()
