from howsure.data.documents.entities import entities_in as entities_in
from howsure_text.sequences.calibration_pairs import (
    frequent_transitions as frequent_transitions,
    tag_pairs as tag_pairs,
    transition_pairs as transition_pairs,
)
from howsure_text.sequences.comparison import (
    PosteriorComparison as PosteriorComparison,
    compare_posteriors as compare_posteriors,
)
from howsure_text.sequences.crf import CRFTagger as CRFTagger
from howsure_text.sequences.entities import (
    EntitySpans as EntitySpans,
    entity_spans as entity_spans,
    within_grammar as within_grammar,
)
from howsure_text.sequences.evaluation import (
    EntityEvaluation as EntityEvaluation,
    TagEvaluation as TagEvaluation,
    evaluate_entities as evaluate_entities,
    evaluate_tags as evaluate_tags,
)
from howsure_text.sequences.hmm import HMMTagger as HMMTagger
from howsure_text.sequences.paths import BestPaths as BestPaths
from howsure_text.sequences.sentences import count_unknown as count_unknown
from howsure_text.sequences.tag_posterior import TagPosterior as TagPosterior
from howsure_text.sequences.tagger import load_tagger as load_tagger
from howsure_text.sequences.temperatures import Temperatures as Temperatures
from howsure_text.sequences.tempering import cross_tempered as cross_tempered, fit_temperatures as fit_temperatures
from howsure_text.sequences.token_labels import gold_tags as gold_tags
