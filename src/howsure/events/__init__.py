"""Events: who does what, how often, with the uncertainty of coreference carried through."""

from howsure.events.corpus import Fields, Filter, open_corpus
from howsure.events.examples import example_store
from howsure.events.extraction.extract_events import extract_events
from howsure.events.extraction.import_events import import_events
from howsure.events.extraction.imported_scores import ScoreColumns, open_scores
from howsure.events.extraction.merge_stores import merge_stores
from howsure.events.extraction.processes import Work
from howsure.events.extraction.recount import recount_events
from howsure.events.extraction.scored_coreference import ScoredCoreference
from howsure.events.labels.agreement import Agreement, agreement, disagreements
from howsure.events.labels.answers import SettledLabels, record_answer, settle, settled_labels
from howsure.events.labels.draw import LabelDraw, draw_documents
from howsure.events.labels.import_labels import import_labels
from howsure.events.lexicon import Lexicon
from howsure.events.rule import Rule, built_in_rule
from howsure.events.rule_comparison import RuleComparison, compare_rules
from howsure.events.rule_files import read_rule
from howsure.events.series.actor_comparison import ActorComparison, compare_actors
from howsure.events.series.corrected_comparison import CorrectedComparison, corrected_comparison
from howsure.events.series.corrected_series import CorrectedSeries, corrected_series
from howsure.events.series.event_series import EventSeries, event_series
from howsure.events.series.files import export_series
from howsure.events.store.check_store import StoreCheck, check_store
from howsure.events.store.event_store import EventStore, StoreError

__all__ = [
    "ActorComparison",
    "Agreement",
    "CorrectedComparison",
    "CorrectedSeries",
    "EventSeries",
    "EventStore",
    "Fields",
    "Filter",
    "LabelDraw",
    "Lexicon",
    "Rule",
    "RuleComparison",
    "ScoreColumns",
    "ScoredCoreference",
    "SettledLabels",
    "StoreCheck",
    "StoreError",
    "Work",
    "agreement",
    "built_in_rule",
    "check_store",
    "compare_actors",
    "compare_rules",
    "corrected_comparison",
    "corrected_series",
    "disagreements",
    "draw_documents",
    "event_series",
    "example_store",
    "export_series",
    "extract_events",
    "import_events",
    "import_labels",
    "merge_stores",
    "open_corpus",
    "open_scores",
    "read_rule",
    "record_answer",
    "recount_events",
    "settle",
    "settled_labels",
]
