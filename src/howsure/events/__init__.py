"""Events: what follows for what I want to know? Who acts how often, with the uncertainty of coreference carried on."""

from howsure.events.examples import example_store
from howsure.events.export import export_series
from howsure.events.filters import Filter
from howsure.events.input import Fields, open_corpus
from howsure.events.lexicon import Lexicon
from howsure.events.pipeline import extract_events, recipe_of
from howsure.events.recount import recount_events
from howsure.events.rule_comparison import RuleComparison, compare_rules
from howsure.events.rule_files import read_rule
from howsure.events.rules import Rule, built_in_rule
from howsure.events.storage import EventStore, StoreError
from howsure.events.store_check import StoreCheck, check_store
from howsure.events.store_comparison import ActorComparison, compare_actors
from howsure.events.store_series import StoreSeries, event_series
from howsure.events.work import Work

__all__ = [
    "ActorComparison",
    "EventStore",
    "Fields",
    "Filter",
    "Lexicon",
    "Rule",
    "RuleComparison",
    "StoreCheck",
    "StoreError",
    "StoreSeries",
    "Work",
    "built_in_rule",
    "check_store",
    "compare_actors",
    "compare_rules",
    "event_series",
    "example_store",
    "export_series",
    "extract_events",
    "open_corpus",
    "read_rule",
    "recipe_of",
    "recount_events",
]
