"""List the public functions by task, one per line, with the classes that users construct; result classes follow apart.

`python -m website.tasks` writes docs/api.md.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import howsure

PAGE = Path(__file__).parents[1] / "docs" / "api.md"

TASKS = {
    "Calibration": """calibration_error calibration_curve calibration_curves calibration_table calibration_test
    compare_calibration cross_validate_curve decompose_score decompose_score_by_label find_miscalibrated_groups
    local_regression logit_calibration multicalibration_error ordinal_calibration quantile_calibration
    worst_predictions""",
    "Recalibration": "recalibrate recalibrate_file evaluate_recalibration recalibration_table",
    "Selective answers": "selective_curve selective_table selective_threshold",
    "Scores and ranks": "mean_scores score_models pass_at_k worst_items score_agents score_items rank_battles",
    "Comparison of models": "compare_models compare_scores resample_models comparison_power",
    "Early stopping": "draw_order plan_comparison race_models",
    "Extracted fields": "evaluate_fields file_documents",
    "Checks": "check_calibration check_fields check_score check_score_so_far check_selective",
    "Judges": """correct_judge_scores plan_judge_sample draw_judge_sample judge_bias judge_transport validate_judge
    rater_agreement span_agreement prompt_sensitivity""",
    "Counts": """plan_label_sample draw_label_sample estimate_counts correct_annotation_errors learn_score
    regress_predicted""",
    "Sequences and coreference": "tag_pairs transition_pairs coreference_scores",
    "Events": "event_series compare_actors",
    "Propagation of uncertainty": "propagate_samples decompose_variance",
    "Files": "look read read_documents read_signature",
    "Pairs": "pairs_from_classes structure_pairs simulate_pairs",
}
CONSTRUCTED = {
    "Calibration": "CalibrationSummary CalibrationMonitor ProperLoss",
    "Recalibration": "RecalibrationMap",
    "Comparison of models": "Metric Runs Experiments",
    "Extracted fields": "FilingPolicy",
    "Early stopping": "SequentialScore SequentialComparison",
    "Sequences and coreference": "CRFTagger HMMTagger TagPosterior AntecedentModel CorefPosterior",
    "Events": "EventStore Lexicon Rule",
    "Propagation of uncertainty": "WeightedSamples",
    "Files": "Document Sentence Mention",
    "Pairs": "Pairs Probabilities",
}
INTRODUCTION = """
All of these are names of `howsure`: `howsure.mean_scores(...)`. Data come first: as arrays, or as
names of columns if `data=` is a frame or `howsure.read("file.csv")`. All other arguments are keywords. Arrays are
matched by position; pandas objects that have the same index labels in different orders are refused. The site also lists
the classes of the results; import them only for annotations.
""".strip()
ERRORS = "HowsureError InputError MissingExtraError"


def results() -> list[str]:
    """Return the classes that functions return, and the classes of their rows."""
    others = {*" ".join([*TASKS.values(), *CONSTRUCTED.values(), ERRORS]).split()}
    return [name for name in howsure.__all__ if name not in others]


def summary(name: str) -> str:
    """Return the first sentence of a docstring, formatted for a table cell."""
    paragraph = re.sub(r"\s+", " ", (inspect.getdoc(getattr(howsure, name)) or "").split("\n\n")[0])
    return re.split(r"(?<=[.?]) (?=[A-Z`])", paragraph)[0].replace("|", "\\|")


def page(link: str = "`{name}`", *, with_results: bool = False) -> str:
    """Return the page in Markdown.

    link: how a name is written.
    with_results: whether the classes that functions return are listed, too.
    """
    sections = ["# Functions by task", INTRODUCTION]
    for task, functions in TASKS.items():
        names = [*functions.split(), *CONSTRUCTED.get(task, "").split()]
        rows = [f"| {link.format(name=name)} | {summary(name)} |" for name in names]
        sections.append("\n".join([f"## {task}", "", "| name | what it is |", "|---|---|", *rows]))
    for title, names in {"Results": results() if with_results else [], "Errors": ERRORS.split()}.items():
        if not names:
            continue
        sections.append(f"## {title}\n\n" + "\n".join(f"- {link.format(name=name)}: {summary(name)}" for name in names))
    return "\n\n".join(sections) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
