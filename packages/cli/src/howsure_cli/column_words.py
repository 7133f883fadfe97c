"""The role of a column, by the words in its name and by its values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from howsure.data.column_roles import FEW, NUMBERS, TWO, WITHIN, SeenColumn
from howsure.data.tables.database import identifier
from howsure.inputs.label_spelling import is_non_answer
from howsure.inputs.numbers_and_names import parse_number
from howsure.inputs.repeated_items import ASKED_COLUMNS, MIN_ITEMS, SOURCE_ROW
from howsure.inputs.repeated_items import ITEM_COLUMNS as ROWS_OF_ITEMS
from howsure_cli.typed_commands import Options


def words_in(text: str) -> frozenset[str]:
    return frozenset(text.split())


LABELS = words_in(
    "gold target truth true expected actual y label answer class category outcome result majority consensus "
    "adjudicated golds targets truths trues labels "
    "referenz referencia goldstandard klasse kategorie etiqueta clase categoria classe"
)
# Words of right answers, which come before other labels.
RIGHT_ANSWERS = words_in(
    "gold target truth true expected actual real golds targets truths trues referenz referencia goldstandard"
)
ADJUDICATED = words_in("majority consensus adjudicated final")
EXPECTED = words_in("expected gold reference")  # not how good an answer is
CLASSIFIERS = words_in(
    "classifier klassifikator klassifizierer klassifizierung clasificador clasificación classificatore classificateur"
)
PREDICTED = CLASSIFIERS | words_in(
    "prediction predictions predicted predict pred preds vorhersage prognose predicho prediccion predite predetto"
)
PREDICTIONS = PREDICTED | words_in("decision guess output said")  # unless expected_output or actual_decision
PREDICTED_LABELS = PREDICTED | words_in(
    "label class sentiment emotion stance intent topic sentimento sentimiento sentiments stimmung etiqueta"
)  # next to a score, as pipelines write them
METRICS = words_in("wer cer ter f em rouge bleu meteor chrf comet bleurt bertscore ndcg mrr mcc")
# of an answer, not a class
CORRECT = words_in("correct right pass passed success korrekt richtig correcto correcte ✅ ✓ ✔ ✔️")
SCORES = (
    METRICS
    | CORRECT
    | words_in(
        "acc accuracy score match grade graded succeeded reward rating won solved resolved hit faithful faithfulness "
        "factual factuality relevancy correctness similarity helpfulness coherence fluency adequacy hallucination "
        "hallucinated verified successful safe plausibility alignment relevance completeness clarity usefulness quality"
    )
)
RATERS = words_in(
    "rater grader annotator ann coder worker labeler labeller evaluator reviewer participant respondent informant "
    "kodierer kodiererin codierer annotateur codeur anotador anotadora codificador codificadora annotatore bewerter"
)
RATERS_NAMED = words_in("user user_id username")  # in full
JUDGE = words_in("judge")
MODEL_NAMES = words_in(
    "gpt bert roberta claude gemini llama mistral mixtral qwen deepseek phi falcon gemma grok opus sonnet haiku "
    "vicuna alpaca whisper "
    "vader textblob t svm"
)
JUDGES = JUDGE | words_in("llm gpt auto automatic autorater")
PEOPLE = words_in("human person people expert annotator")
SOURCES = words_in("source by origin kind type")  # of grades, where its values name judges and people
JUDGES_NAMED = words_in("eval ai model machine")  # as values of such a column
PEOPLE_NAMED = words_in("annotation annotator coder rater reviewer")
CRITERIA = words_in("criterion criteria metric dimension aspect")
GRADES = words_in("value annotation")  # of a table that names its raters
CHANCES = words_in(
    "prob probs probability proba p confidence conf score certainty likelihood soft konfidenz wahrscheinlichkeit "
    "probabilidad confianza confiance confidenza"
)
CONFIDENCES = words_in(
    "confidence conf certainty konfidenz confianza confiance confidenza"
)  # of the model in its answer
# scores that do not say how good an answer is
DOUBTS = words_in("uncertainty entropy variance difficulty distance diff difference error")
FAULTS = words_in(
    "error errors wer cer ter wder cpwer der eer loss perplexity mae mse rmse brier violations hallucination "
    "hallucinations hallucinated spam phishing toxic toxicity hate hateful offensive abusive harmful unsafe fraud "
    "malicious"
)  # of which fewer are better
RETRIEVAL = words_in("retrieval retriever retrieved rerank reranker top chunk bm query")  # of texts, not of answers
MOODS = words_in("sentiment polarity subjectivity emotion compound")  # of texts
RISKS = words_in("risk")  # which may be the probability of a label, but is not a score
ARMS = words_in(
    "arm method approach agent variant mode policy strategy condition experiment setting config configuration "
    "architecture shot shots pipeline scaffold technique framework retriever treatment intervention style "
    "persona"
)  # a `mode` alone: not a failure_mode
MODELS = ARMS | words_in("modell modelo modele modello model system engine llm generator")
OVERALL = words_in("overall total final")
ITEMS = words_in("id uid uuid hash item question qid doc index idx example key instance sample")
KINDS = words_in("type kind category level format")  # of items, such as question_type
UNITS = words_in(
    "task problem tweet document post sentence passage dialogue conversation thread user author article review"
)
MEASURES = words_in(
    "size length len count counts total chars character characters tokens words latency ms seconds cost usd"
)
GROUPS = words_in(
    "task subject category subset dataset lang language prompt genre domain topic source split country land"
)
MEANS = words_in("winrate average avg mean elo rank standard_error stderr win_rate pass_rate")  # of a leaderboard
TURNS = words_in("turn")
TRACES = words_in("trace traceid run runid")  # of which each row may have its own
RUNS = words_in("run seed epoch trial repeat repetition iteration attempt sample")
TIMES = words_in("ts time timestamp date started")
ITEM_COLUMNS = {*ROWS_OF_ITEMS, SOURCE_ROW, "task_id", "prompt_id", "case_id"}
ERRORS = words_in("error exception")
ENDS = ERRORS | words_in("status timeout outcome state finish_reason stop_reason")  # how a trial ended
NUMBERS_OF = words_in("n num number count")
PARSED = words_in("parsed extracted normalized normalised cleaned final")  # of an answer, next to its raw text
POSITIVE_LABELS = words_in("right korrekt")  # which may also be a direction or a name
FLAGS = words_in("-1 -1.0 0 0.0 1 1.0 true false True False")
# of numbers that do not say how good an answer is
NOT_SCORES = (
    MEASURES | DOUBTS | RISKS | NUMBERS_OF | MOODS | words_in("threshold cutoff rank weight cache cached retry")
)
WHOLE = CORRECT | words_in("rating grade graded reward won solved resolved succeeded successful")  # of an answer
COSTS = words_in("cost usd dollars price")
ACTORS = words_in("actor topic party country side organisation organization code")
DATES_NAMED = words_in("date day published published_at datetime timestamp created_at datum fecha")
TOTALS = words_in("total totals sum summe gesamt insgesamt gesamtsumme suma totale somme")  # of the rows above
BODIES = words_in("text body content article story abstract")
HEADLINES = words_in("title headline titel titre título titulo titolo")
LOGITS = {"logits": words_in("logit logits"), "logprobs": words_in("ll logprob logprobs loglik")}
ANSWERS = words_in("answer response output text prediction pred label choice")  # of a model, not its name
FAILED = words_in("failure failed fail")
RIGHT = CORRECT | words_in("true yes solved resolved succeeded")  # as values of such a column
INSPECT, TRUTH = words_in("c i p n"), words_in("t f")  # letters of right and wrong answers
YES = words_in("1 1.0 true yes ja wahr oui vrai sí si verdadero sì vero sim waar ✅ ✓ ✔ ✔️ 👍")
LETTERS = words_in("a b c d e f a+ a- b+ b- c+ c- d+ d-")  # of school grades, A being the best
UNPARSED = words_in("unparseable unparsable unparsed refused invalid")  # of answers
DOUBT = words_in("maybe ? unsure timeout")  # neither of two opposite values
POSITIVE = YES | words_in("correct right pass passed success positive pos entailed good win richtig")
# which a model finds
DETECTED = words_in("spam phishing toxic hate hateful offensive abusive harmful unsafe fraud malicious")
NEGATIONS = ("not ", "not_", "not-", "non-", "un")  # before a value, they make its opposite
PLAIN = words_in("0 1 0.0 1.0 true false")  # labels that need no --positive
WINNERS = words_in("winner best won win preference preferred verdict")
VERDICTS = WINNERS | words_in("verdict judgment judgement label grade")
OUTCOMES = words_in("model_a model_b model_1 model_2 a b left right 1 2 1.0 2.0 tie both_bad bothbad 0 1.5") | {
    "tie (bothbad)"
}  # as `rank_battles` reads them
PROMPTS = words_in("prompt instruction")
ASKED = MODELS | PROMPTS | words_in("user_input assistant assistant_output")  # of texts that a model wrote
SECOND_WINS = words_in("model_b model_2 b right 2 2.0")
# words for qualities, in several languages, by their ends
QUALITY = re.compile(r"[a-z]{3,}(?:ness|bility|[alr]ity|[eu]ncy|racy|ibilit[yé]|heit|keit|idad|idade|ità|ité)")
RIGHT_ANSWER = re.compile(r"(?:correct|right)[\W_]*(?:answer|label|option|choice|class|category)", re.IGNORECASE)
SIDES = {"a": "b", "1": "2", "first": "second", "left": "right"}


def last_words(column: SeenColumn) -> frozenset[str]:
    """The words of the last part of a name such as verdict.right."""
    return SeenColumn(column.name.rsplit(".", 1)[-1], "", "", 0, 0, ()).words


def name_parts(column: SeenColumn) -> frozenset[str]:
    """The words of a name, without the whole name of several words."""
    return frozenset(word for word in column.words if word.isalpha())


def is_tie(value: str) -> bool:
    return "tie" in value.lower() or value.lower() in ("both_bad", "bothbad", "0", "1.5", "draw")


def names_id(column: SeenColumn) -> bool:
    """Whether the name of the column ends in an id, such as bbcid or doc_id."""
    return any(word.endswith("id") for word in column.words) and not column.words & RATERS


def names_prediction(column: SeenColumn) -> bool:
    """Whether the name is that of a prediction, and not of a right answer such as expected_output."""
    return bool(column.words & PREDICTIONS) and not (column.words & RIGHT_ANSWERS and not column.words & PREDICTED)


def names_right_answer(column: SeenColumn) -> bool:
    """Whether the name is that of a right answer, such as correct_answer, and not of a mark, such as answer_correct."""
    return bool(column.words & RIGHT_ANSWERS) or RIGHT_ANSWER.search(column.name) is not None


def names_quality(column: SeenColumn) -> bool:
    """Whether the name is that of a score, or of a quality of answers such as appropriateness or Verständlichkeit."""
    return bool(column.words & (SCORES | {"recall", "precision"})) or any(map(QUALITY.fullmatch, column.words))


def is_whole(column: SeenColumn) -> bool:
    """Whether the name is that of a score of the whole answer, such as score or is_correct, and not of one quality."""
    others = replace(column, name=" ".join(column.words - WHOLE - {column.name.lower()}))
    is_named = column.words & WHOLE and not names_quality(others)
    return bool(is_named) or column.name.casefold() in OVERALL | {"score"}


def names_rater(column: SeenColumn) -> bool:
    """Whether the name is that of raters, such as annotator or user_id."""
    return bool(column.words & RATERS) or column.name.lower() in RATERS_NAMED


def is_numeric(column: SeenColumn) -> bool:
    return all(parse_number(text) is not None for text in column.held or column.examples)


def is_prompt(column: SeenColumn) -> bool:
    """Whether the column contains prompts of enough items, so that it does not define groups of rows."""
    return column.name.casefold() in ASKED_COLUMNS and column.values >= MIN_ITEMS


def is_yes_or_no(column: SeenColumn) -> bool:
    return {value.lower() for value in column.held} <= PLAIN


def positive_option(label: SeenColumn, others: Collection[str] = ()) -> dict[str, str] | None:
    """Return the command's option for the value that counts as 1, such as one of `others`; None if it is unclear."""
    if is_yes_or_no(label):
        return {}
    if is_numeric(label):
        return None
    values = {value.strip().lower() for value in label.held}
    letters = INSPECT if values <= INSPECT else TRUTH if values <= TRUTH else frozenset[str]()
    yes = {*POSITIVE, *others, *(letters & {"c", "t"})} - ({"right"} if "left" in values else set())
    positives = [
        value for value in label.held if value.strip().lower().removesuffix(" answer") in yes
    ] or _values_with_negation(label.held)
    return {"positive": positives[0]} if len(positives) == 1 else None


def is_grade(column: SeenColumn) -> bool:
    """Whether the column contains grades: numbers, or two values one of which is good."""
    numeric = column.kind in (TWO, FEW, WITHIN, NUMBERS) and is_numeric(column)
    return numeric or (column.kind == TWO and positive_option(column) is not None)


def share_scale(first: SeenColumn, second: SeenColumn) -> bool:
    """Whether the grades in both columns are numbers, or the same words."""
    return is_numeric(first) if is_numeric(second) else first.held == second.held


def scale_bounds(*columns: SeenColumn) -> str | None:
    """The bounds of the scale if the grades are whole numbers that look like a scale from 1 to 5 or from 1 to 10."""
    if not all(column.kind in (TWO, FEW) and is_numeric(column) for column in columns):
        return None
    grades = {parse_number(text) for column in columns for text in column.held}
    highest = 10 if 10 in grades else 5
    has_scale = len(grades) > 2 and highest in grades and grades <= {*range(1, highest + 1)}
    return f"1,{highest}" if has_scale else None


def _values_with_negation(values: Collection[str]) -> list[str]:
    """The values whose opposite is also one of the values.

    >>> _values_with_negation({"Fully attributable", "Not fully attributable", "unclear"})
    ['Fully attributable']
    """
    known_values = {value.casefold() for value in values}
    return [value for value in sorted(values) for no in NEGATIONS if f"{no}{value.casefold()}" in known_values]


def non_answer_options(label: SeenColumn) -> Options:
    """Return options that leave out labels that are not answers, such as `unparseable`; other labels count as wrong."""
    if label.kind != FEW or is_numeric(label):
        return {}
    others = sorted(value for value in label.held if is_non_answer(value))
    return {"missing": others, "skip_missing": bool(others)}


def without_non_answers(column: SeenColumn) -> SeenColumn:
    """Return the column, with non-answers such as ERROR separated from its two other values."""
    non_answers = [value for value in sorted(column.held) if is_non_answer(value)]
    answers = column.held - {*non_answers}
    if column.kind != FEW or not non_answers or len(answers) != 2:
        return column
    return replace(column, kind=TWO, held=answers, non_answers=tuple(non_answers))


def without_unclear(column: SeenColumn, texts: Sequence[str | None]) -> SeenColumn:
    """Return the column. If it has labels for a minority of the rows and a rare third value, this value is separated
    from the labels."""
    counts = Counter(text for text in texts if text in column.held)
    if len(counts) != 3 or column.missing * 2 <= len(texts) or not positive_option(column):
        return column
    (_, _), (_, less), (rare, least) = counts.most_common()
    is_rare = least * 2 < less and rare not in (positive_option(column) or {}).values()
    return replace(column, kind=TWO, held=column.held - {rare}, non_answers=(rare,)) if is_rare else column


def without_doubts(column: SeenColumn, texts: Sequence[str | None]) -> SeenColumn:
    """Return the column, with values that are not answers, such as "unclear" or "maybe", separated from its two others.

    A value that says how a run ended, such as a timeout, is a failure.
    """
    answers = _opposites(column)
    others = column.held - answers
    counts = Counter(text for text in texts if text in others)
    if column.kind != FEW or not answers or column.words & ENDS or counts.total() * 2 >= len(texts) - column.missing:
        return column
    return replace(column, kind=TWO, held=answers, non_answers=(*column.non_answers, *sorted(others)))


def with_unparsed_as_wrong(column: SeenColumn) -> SeenColumn:
    """The column, whose refused or unparsed answers, next to correct and wrong, are no longer separated from these."""
    left_out = tuple(value for value in column.non_answers if value not in unparsed_answers(column))
    return replace(column, non_answers=left_out)


def unparsed_answers(column: SeenColumn) -> frozenset[str]:
    """The values, next to correct and wrong, of answers that were refused or not parsed."""
    if {value.strip().casefold() for value in column.held}.isdisjoint(CORRECT) or column.words & JUDGES:
        return frozenset()
    return frozenset(value for value in {*column.held, *column.non_answers} if value.strip().casefold() in UNPARSED)


def _opposites(column: SeenColumn) -> frozenset[str]:
    """The only two values that are answers, if it is clear which one is good; otherwise none."""
    answers = {value for value in column.held if not (is_non_answer(value) or value.strip().casefold() in DOUBT)}
    is_clear = len(answers) == 2 and positive_option(replace(column, kind=TWO, held=frozenset(answers))) is not None
    return frozenset(answers if is_clear else ())


def other_sides(name: str) -> Iterator[str]:
    """The names of the other side of a battle, for a name of the first side.

    >>> list(other_sides("model_a")), list(other_sides("generator_1")), list(other_sides("model_b"))
    (['model_b'], ['generator_2'], [])
    >>> list(other_sides("modelA"))
    ['modelb']
    """
    parts = [part.lower() for part in re.split(r"([^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z0-9]))", name)]
    for place, part in enumerate(parts):
        if part in SIDES and len(parts) > 1:
            yield "".join([*parts[:place], SIDES[part], *parts[place + 1 :]])


def is_preference(outcome: str) -> bool:
    """Whether the column is a number from 1 (for the first model) to 2 (for the other model)."""
    return 1.0 <= (parse_number(outcome) or 0.0) <= 2.0


def grade_values(column: SeenColumn) -> set[str | float]:
    """The values of a column, with numbers compared as numbers: 4.0, as in a column with gaps, equals 4."""
    numbers = {text: parse_number(text) for text in column.held}
    return {text if number is None else number for text, number in numbers.items()}


def column_name(column: SeenColumn | None) -> str | None:
    return None if column is None else column.name


def plain_identifier(name: str) -> str:
    """The name of a column in a condition, quoted only if it has to be."""
    is_plain = re.fullmatch(r"[a-z_]\w*", name, re.ASCII | re.IGNORECASE) is not None
    return name if is_plain else identifier(name)


def column_list(columns: Sequence[SeenColumn]) -> str:
    """The names of columns, as an option takes them."""
    return ",".join(column.name for column in columns)


def are_battles(battles: Sequence[tuple[str, str, str]]) -> bool:
    """Whether all rows (a, b, winner) name two different models, and one of them, a side or a tie as the winner.

    Some must be won by the second one, so that 0 is a tie.
    """
    models = {name for a, b, _ in battles for name in (a, b)}
    second_wins = (
        winner.lower() in SECOND_WINS or winner == b or (parse_number(winner) or 0.0) > 1.5 for _, b, winner in battles
    )
    return (
        len(models) < len(battles)
        and any(second_wins)
        and all(
            a != b and (winner.lower() in OUTCOMES or winner in (a, b) or is_preference(winner))
            for a, b, winner in battles
        )
    )
