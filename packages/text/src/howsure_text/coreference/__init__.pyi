from howsure_text.coreference.antecedent_files import (
    read_antecedent_scores as read_antecedent_scores,
    write_antecedent_scores as write_antecedent_scores,
)
from howsure_text.coreference.antecedent_model import AntecedentModel as AntecedentModel
from howsure_text.coreference.antecedent_scores import AntecedentScores as AntecedentScores
from howsure_text.coreference.coref_posterior import CorefPosterior as CorefPosterior, QueryPosterior as QueryPosterior
from howsure_text.coreference.detection import detect_mentions as detect_mentions
from howsure_text.coreference.gold_comparison import pairs_from_posteriors as pairs_from_posteriors
from howsure_text.coreference.metrics import (
    CoreferenceScores as CoreferenceScores,
    Score as Score,
    coreference_scores as coreference_scores,
    score_documents as score_documents,
)
from howsure_text.coreference.recalibration import (
    CoreferenceRecalibration as CoreferenceRecalibration,
    recalibrate_coreference as recalibrate_coreference,
)
from howsure_text.coreference.resolution import ResolvedDocument as ResolvedDocument, resolve as resolve
from howsure_text.coreference.scored_posteriors import (
    posterior_from_scores as posterior_from_scores,
    scores_from_fastcoref as scores_from_fastcoref,
)
from howsure_text.coreference.sharpening import Sharpening as Sharpening
