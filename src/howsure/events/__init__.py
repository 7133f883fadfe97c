"""Events: what follows for what I want to know? Who acts how often, with the uncertainty of coreference carried on."""

from howsure.events.counts import Count, CountComparison, compare_counts, count_from_probabilities, count_from_samples
from howsure.events.dependencies import DependencyCounts, count_dependencies
from howsure.events.entities import Evidence, actors_of, entity_counts, evidence_of
from howsure.events.facts import Act, Description, Facts, mention_facts, mention_heads
from howsure.events.lexicon import Lexicon
from howsure.events.periods import PERIODS, period_of, period_start, periods_between, periods_of
from howsure.events.rule_files import read_rule, rule_from_yaml
from howsure.events.rules import Rule, built_in_rule
from howsure.events.series import EventSeries, PeriodCount, series_of_probabilities, series_of_samples

__all__ = [
    "PERIODS",
    "Act",
    "Count",
    "CountComparison",
    "DependencyCounts",
    "Description",
    "EventSeries",
    "Evidence",
    "Facts",
    "Lexicon",
    "PeriodCount",
    "Rule",
    "actors_of",
    "built_in_rule",
    "compare_counts",
    "count_dependencies",
    "count_from_probabilities",
    "count_from_samples",
    "entity_counts",
    "evidence_of",
    "mention_facts",
    "mention_heads",
    "period_of",
    "period_start",
    "periods_between",
    "periods_of",
    "read_rule",
    "rule_from_yaml",
    "series_of_probabilities",
    "series_of_samples",
]
