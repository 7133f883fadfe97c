"""Events: what follows for what I want to know? Who acts how often, with the uncertainty of coreference carried on."""

from howsure.events.counts import Count, CountComparison, compare_counts, count_from_probabilities, count_from_samples
from howsure.events.dependencies import DependencyCounts, count_dependencies
from howsure.events.entities import Evidence, actors_of, entity_counts, evidence_of
from howsure.events.examples import example_store
from howsure.events.export import export_series
from howsure.events.extraction import extract
from howsure.events.facts import Act, Description, Facts, mention_facts, mention_heads
from howsure.events.filters import Filter
from howsure.events.input import Fields, open_corpus
from howsure.events.lexicon import Lexicon
from howsure.events.periods import PERIODS, period_of, period_start, periods_between, periods_of
from howsure.events.pipeline import extract_events, recipe_of
from howsure.events.rule_files import read_rule, rule_from_yaml
from howsure.events.rules import Rule, built_in_rule
from howsure.events.series import EventSeries, PeriodCount, series_of_probabilities, series_of_samples
from howsure.events.storage import EventStore, StoreError
from howsure.events.store_comparison import ActorComparison, compare_actors
from howsure.events.store_series import StoreSeries, event_series
from howsure.events.work import Work

__all__ = [
    "PERIODS",
    "Act",
    "ActorComparison",
    "Count",
    "CountComparison",
    "DependencyCounts",
    "Description",
    "EventSeries",
    "EventStore",
    "Evidence",
    "Facts",
    "Fields",
    "Filter",
    "Lexicon",
    "PeriodCount",
    "Rule",
    "StoreError",
    "StoreSeries",
    "Work",
    "actors_of",
    "built_in_rule",
    "compare_actors",
    "compare_counts",
    "count_dependencies",
    "count_from_probabilities",
    "count_from_samples",
    "entity_counts",
    "event_series",
    "evidence_of",
    "example_store",
    "export_series",
    "extract",
    "extract_events",
    "mention_facts",
    "mention_heads",
    "open_corpus",
    "period_of",
    "period_start",
    "periods_between",
    "periods_of",
    "read_rule",
    "recipe_of",
    "rule_from_yaml",
    "series_of_probabilities",
    "series_of_samples",
]
