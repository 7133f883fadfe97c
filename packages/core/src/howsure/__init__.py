"""How confident is your NLP model, is that confidence justified, and what does it mean for your results?

The public names are loaded when they are first used, so that `import howsure` is quick.
"""

from howsure.lazy_imports import names_in

__version__ = "0.2.0"

RENAMED = {  # names and modules of 0.1.0 and 0.2.0
    "FoundGroups": ("MiscalibratedGroups",),
    "Given": ("Probabilities",),
    "JudgePrompts": ("PromptSensitivity",),
    "LabelsNeeded": ("LabelPlan",),
    "Replacement": ("JudgeReplacement",),
    "Transport": ("JudgeTransport",),
    "TransportRow": ("JudgeTransportRow",),
    "compare": ("compare_models", "compare_scores"),
    "calibration_of_logits": ("logit_calibration",),
    "detection_power": ("comparison_power",),
    "cli": ("howsure_cli",),
    "coreference": ("howsure_text.coreference",),
    "events": ("howsure_events",),
    "explorer": ("howsure_events.explorer",),
    "find_groups": ("find_miscalibrated_groups",),
    "judge_agreement": ("rater_agreement",),
    "judge_plan": ("plan_judge_sample",),
    "judge_prompts": ("prompt_sensitivity",),
    "judge_sample": ("draw_judge_sample",),
    "judged_scores": ("correct_judge_scores",),
    "labels_needed": ("plan_label_sample",),
    "learned_score": ("learn_score",),
    "minimum_detectable_difference": ("comparison_power",),
    "open_predictions": ("read",),
    "posterior_quantiles": ("quantile_calibration",),
    "read_crfsuite": ("CRFTagger",),
    "report": ("howsure_cli.report",),
    "required_sample_size": ("comparison_power",),
    "sample_for_labels": ("draw_label_sample",),
    "save_tagger": ("CRFTagger", "HMMTagger"),
    "score_clusters": ("coreference_scores",),
    "score_parts": ("decompose_score",),
    "score_table": ("mean_scores", "score_models", "pass_at_k"),
    "sequences": ("howsure_text.sequences",),
    "spacy": ("howsure_text.spacy",),
    "threshold_for": ("selective_threshold",),
}

__getattr__, __dir__, __all__ = names_in(__name__, __file__, renamed=RENAMED)
