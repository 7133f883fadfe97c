from howsure.events.corpus import Fields as Fields, Filter as Filter
from howsure.events.examples import example_store as example_store
from howsure.events.extraction.extract_events import extract_events as extract_events
from howsure.events.extraction.import_events import import_events as import_events
from howsure.events.extraction.imported_scores import ScoreColumns as ScoreColumns, open_scores as open_scores
from howsure.events.extraction.merge_stores import merge_stores as merge_stores
from howsure.events.extraction.open_corpus import open_corpus as open_corpus
from howsure.events.extraction.processes import Work as Work
from howsure.events.extraction.recount import recount_events as recount_events
from howsure.events.extraction.scored_coreference import ScoredCoreference as ScoredCoreference
from howsure.events.labels.agreement import (
    Agreement as Agreement,
    agreement as agreement,
    disagreements as disagreements,
)
from howsure.events.labels.answers import (
    SettledLabels as SettledLabels,
    record_answer as record_answer,
    settle as settle,
    settled_labels as settled_labels,
)
from howsure.events.labels.draw import LabelDraw as LabelDraw, draw_documents as draw_documents
from howsure.events.labels.import_labels import import_labels as import_labels
from howsure.events.lexicon import Lexicon as Lexicon
from howsure.events.rule import Rule as Rule, built_in_rule as built_in_rule
from howsure.events.rule_comparison import RuleComparison as RuleComparison, compare_rules as compare_rules
from howsure.events.rule_files import read_rule as read_rule
from howsure.events.series.actor_comparison import ActorComparison as ActorComparison, compare_actors as compare_actors
from howsure.events.series.corrected_comparison import (
    CorrectedComparison as CorrectedComparison,
    corrected_comparison as corrected_comparison,
)
from howsure.events.series.corrected_series import (
    CorrectedSeries as CorrectedSeries,
    corrected_series as corrected_series,
)
from howsure.events.series.regress_events import regress_events as regress_events
from howsure.events.series.event_series import EventSeries as EventSeries, event_series as event_series
from howsure.events.store.check_store import StoreCheck as StoreCheck, check_store as check_store
from howsure.events.store.event_store import EventStore as EventStore, StoreError as StoreError
