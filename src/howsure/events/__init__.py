"""Events: who does what, how often, with the uncertainty of coreference carried through."""

from howsure.events.actors.lexicon import Lexicon
from howsure.events.corpus.documents import Fields
from howsure.events.corpus.filters import Filter
from howsure.events.corpus.open_corpus import open_corpus
from howsure.events.corrected.corrected_comparison import CorrectedComparison, corrected_comparison
from howsure.events.corrected.corrected_series import CorrectedSeries, corrected_series
from howsure.events.examples import example_store
from howsure.events.extraction.extract_events import extract_events
from howsure.events.extraction.recount import recount_events
from howsure.events.extraction.scored_coreference import ScoredCoreference
from howsure.events.extraction.worker import Work
from howsure.events.imported.import_events import import_events
from howsure.events.imported.open_scores import open_scores
from howsure.events.imported.scores import ScoreColumns
from howsure.events.labels.agreement import Agreement, agreement
from howsure.events.labels.answers import record_answer, settle
from howsure.events.labels.disagreements import disagreements
from howsure.events.labels.draw import LabelDraw, draw_documents
from howsure.events.labels.exchange.import_labels import import_labels
from howsure.events.labels.settled import SettledLabels, settled_labels
from howsure.events.parts.merge_stores import merge_stores
from howsure.events.rules.rule import Rule, built_in_rule
from howsure.events.rules.rule_comparison import RuleComparison, compare_rules
from howsure.events.rules.rule_files import read_rule
from howsure.events.series.actor_comparison import ActorComparison, compare_actors
from howsure.events.series.event_series import EventSeries, event_series
from howsure.events.series.export import export_series
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
