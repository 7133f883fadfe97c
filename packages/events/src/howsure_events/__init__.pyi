from howsure_events.corpus import Fields as Fields, Filter as Filter
from howsure_events.examples import example_store as example_store
from howsure_events.extraction.extract_document import EventPosterior as EventPosterior
from howsure_events.extraction.extract_events import extract_events as extract_events
from howsure_events.extraction.import_events import import_events as import_events
from howsure_events.extraction.imported_scores import ScoreColumns as ScoreColumns, open_scores as open_scores
from howsure_events.extraction.merge_stores import merge_stores as merge_stores
from howsure_events.extraction.open_corpus import open_corpus as open_corpus
from howsure_events.extraction.processes import Work as Work
from howsure_events.extraction.recount import recount_events as recount_events
from howsure_events.extraction.scored_coreference import ScoredCoreference as ScoredCoreference
from howsure_events.labels.agreement import (
    Agreement as Agreement,
    agreement as agreement,
    disagreements as disagreements,
)
from howsure_events.labels.answers import (
    SettledLabels as SettledLabels,
    record_answer as record_answer,
    settle as settle,
    settled_labels as settled_labels,
)
from howsure_events.labels.draw_documents import LabelDraw as LabelDraw, draw_documents as draw_documents
from howsure_events.labels.import_labels import import_labels as import_labels
from howsure_events.lexicon import Lexicon as Lexicon
from howsure_events.rule import Rule as Rule, built_in_rule as built_in_rule
from howsure_events.rule_comparison import RuleComparison as RuleComparison, compare_rules as compare_rules
from howsure_events.rule_files import read_rule as read_rule
from howsure_events.series.actor_comparison import ActorComparison as ActorComparison, compare_actors as compare_actors
from howsure_events.series.corrected_comparison import (
    CorrectedComparison as CorrectedComparison,
    corrected_comparison as corrected_comparison,
)
from howsure_events.series.corrected_series import (
    CorrectedSeries as CorrectedSeries,
    corrected_series as corrected_series,
)
from howsure_events.series.regress_events import regress_events as regress_events
from howsure_events.series.event_series import EventSeries as EventSeries, event_series as event_series
from howsure_events.store.check_store import StoreCheck as StoreCheck, check_store as check_store
from howsure_events.store.event_store import EventStore as EventStore, StoreError as StoreError
