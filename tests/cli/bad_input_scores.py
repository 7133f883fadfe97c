"""Wrong tables by model, and what `howsure significance` says to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import COUNTED, Wrong


def log(*rows: str) -> dict[str, bytes]:
    """Two models on three items, once each; one row instead of the last, or two instead of the second model's."""
    held = ["base,q1,0,1", "base,q2,1,1", "base,q3,0,0", "large,q1,1,1", "large,q2,1,1", "large,q3,1,0"]
    if rows:
        held[3 if len(rows) > 1 else 5 :] = rows
    return {"log.csv": "\n".join(["model,uid,score,gold", *held, ""]).encode()}


BY = "significance log.csv --model model --id uid"
BY_MODEL = [
    Wrong("a score without the item", "significance log.csv --model model --score score",
          "--id must name the column that identifies the item of each row.", log()),
    Wrong("a score without the model", "significance log.csv --id uid --score score",
          "--model must name the model's column; or give a FILE for each model.", log()),
    Wrong("a table by model without answers", BY,
          "--against must name a column of predictions. In a table or log with one row per model and item, name the "
          "--score, or --target and --prediction, and by --model the model's column."
          "\nhowsure look log.csv", log()),
    Wrong("a single model", f"{BY} --score score --where \"model = 'base'\"",
          "model must name two models or more; every row is of 'base'.", log()),
    Wrong("an item that a model lacks", f"{BY} --score score",
          "every model must have every item; model 'large' has no row of item 'q3'. Of 3 items are missing: base 0, "
          "large 1. Leave such items out for all models with --skip-missing.", log("large,q1,1,1", "large,q2,1,1")),
    Wrong("an item that stands twice", f"{BY} --score score",
          f"an item must have one row for each model; row 4 of log.csv {COUNTED} and row 6 of log.csv {COUNTED} are "
          "both item 'q1' of model 'large'. If these are several runs, name their column "
          "(--run); if they are of several sets of items, let several columns identify the item together (--id).",
          log("large,q1,1,1")),
    Wrong("a grade in words", f"{BY} --score score",
          f"score must hold numbers; row 6 of log.csv {COUNTED} holds 'right'. If one value means right, say which: "
          "--positive correct.", log("large,q3,right,0")),
    Wrong("a value that no grade has", f"{BY} --score score --positive right",
          "no value 'right' in score; it has 0, 1.", log()),
    Wrong("a baseline that no row has", f"{BY} --score score --against bsae",
          "no model 'bsae' in the rows; it has base, large. Did you mean base?", log()),
    Wrong("models instead of their column", f"{BY} --score score --model larg",
          "--model names one column in a table by model, the model's; choose models by --where, such as \"model in "
          "('base', 'large')\".", log()),
    Wrong("a baseline beside all pairs", f"{BY} --score score --against base --all-pairs",
          "--all-pairs compares every two models, without a baseline; leave one of them out.", log()),
    Wrong("one side against the best of the data", f"{BY} --score score --alternative better",
          "--alternative better needs a baseline that was chosen before looking at the data: name it, --against, or "
          "leave alternative out.", log()),
    Wrong("a metric of a score", f"{BY} --score score --metric accuracy",
          "metrics are for predictions; a score is compared by its mean. Leave metrics out.", log()),
    Wrong("a score beside predictions", f"{BY} --score score --target gold --prediction gold",
          "--score is compared as it stands; leave out --target and --prediction, or --score.", log()),
    Wrong("targets that differ between models", f"{BY} --target gold --prediction score",
          f"--target must be the same in every row of an item; row 6 of log.csv {COUNTED} differs. Are the ids right?",
          log("large,q3,1,1")),
    Wrong("a test of means for what is none", f"{BY} --target gold --prediction score --method student",
          "--method student tests a mean over items (accuracy, log_loss, scores), which macro_precision is not; choose "
          "--method permutation.", log()),
    Wrong("an option of tables by model elsewhere",
          "significance log.csv --target gold --against gold --model score --all-pairs",
          "--all-pairs is for tables with one row per model and item, by --prediction or --score. Leave it "
          "out.", log()),
    Wrong("scores in columns with runs",
          "significance log.csv --against score --model gold --metric score --run uid",
          "--run cannot be given with a column of scores for each model; several runs need a table by model, --model "
          "and --score.", log()),
    Wrong("a direction of what is no score",
          "significance log.csv --target gold --against gold --model score --lower-is-better",
          "--lower-is-better is for scores; every metric of predictions knows its own. Leave it out.", log()),
    Wrong("files compared by file, whose items all differ",
          "significance log.csv log.csv --id uid --score score --across-files separate",
          "--across-files separate: name the model's column, --model, and the item's, --id.", log()),
    Wrong("a file of what is true without its column", f"{BY} --prediction score --targets log.csv",
          "--targets holds what is true: name its column, --target, and the --prediction's.", log()),
    Wrong("a file of what is true with an item twice",
          f"{BY} --target gold --prediction score --targets log.csv --metric accuracy",
          "uid must be different in every row of log.csv; 'q1' is not.", log()),
]  # fmt: skip
