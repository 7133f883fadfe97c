"""Help texts of options, written once for all commands; groups of options that `--help` lists on one line; synonyms.

An option is explained by its name, or by its name and what it takes ("--width INCHES") where these differ. Options of
one command only may be explained where they are defined.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

LOGS = (
    "lm-eval, inspect, helm, lighteval, openai, decisions, tau2, harbor, terminal-bench, swe-bench, bfcl, "
    "openai-evals, hf, promptfoo, deepeval, alpaca-eval, livecodebench, mmlu-pro, human-eval, evalplus, "
    "every-eval-ever"
)
FORMATS_READ = (
    f"Tables: csv, tsv, jsonl, json, parquet, npz. Logs: {LOGS}. Where a command reads tagged sentences: conllu, "
    "conll-2012, three-columns, columns, crfsuite, text. Where it reads documents: jsonl, csv, tsv, parquet, conllu."
)

OPTION_HELP = {
    # columns and what they hold
    "--target": "Column of the true labels or grades.",
    "--prob": "Column of the predicted probability.",
    "--probs": "Columns of class probabilities.",
    "--probs-column": "Column containing a list of class probabilities.",
    "--logits": "Logits: several columns or one of lists (softmax), or one number per row (sigmoid).",
    "--logprobs": "Log-probabilities of classes (normalised), or of the answer only (exp).",
    "--verbalised": "Column of texts that state a confidence: '85 % sure', 'Confidence: 0.85', '8/10'.",
    "--reduce": "With classes: top-label, class-wise, or the name of one class.",
    "--classes": "Names of the classes, in order.",
    "--prediction": "Column of the model's predictions.",
    "--score COL": "Column of scores: numbers, or 1 if right.",
    "--score FILE": "Also use the numbers in FILE: columns document, perhaps actor, and any number of scores.",
    "--model COL": "Column of the model of each row.",
    "--group": "Column of groups; several: a,b.",
    "--cluster": "Column of clusters, such as documents.",
    "--stratum": "Column of strata, in each of which rows were drawn at random.",
    "--inclusion": "Column of the probability with which a labelled row was drawn.",
    "--weight COL": "Column of row weights.",
    "--id": "Column of the item of each row; several: a,b.",
    "--run": "Column of the repeated run of each row.",
    "--error": "Column of the error that ended a trial, such as a timeout; empty, 0 or false if none did.",
    "--cost": "Column of the cost of each trial, above 0: dollars, seconds or tokens.",
    "--date COL": "Column of the date of each row.",
    "--document COL": "Column of the document of each value.",
    "--field COL": "Column of the field of each value, such as total or items[0].price.",
    "--value": "Column of the predicted values.",
    "--confidence COL": "Column of the confidence of each value (default: from logprobs).",
    "--gold FILE|COL": "True values: files by document (JSON, a folder or a table), or a column.",
    "--second": "Column of a second coder's labels.",
    "--settled": "Column of the labels that settle disagreements of two coders.",
    "--flips": "Assume that coders mislabel both labels equally often.",
    "--positive": "Value that counts as 1, others as 0.",
    "--targets FILE": "File of the true labels, in order or by --id.",
    "--features COL,COL,…": "Columns to learn from: names, numbers, dates; length(COL) is the length of a text.",
    "--show": "Columns to show or to copy, such as question,answer.",
    "--covariates": "Columns that the outcome may depend on; categories are compared with the first one.",
    "--fixed-effects": "Columns of names that get fixed effects, such as unit and year.",
    "--treated": "Column that is 1 for treated units: with --after, difference in differences.",
    "--after": "Column that is 1 after the change; without --treated, before and after are compared.",
    "--rater COL": "Column of the rater.",
    "--raters": "Columns of grades, one for each rater, of a table with a row per item.",
    "--length COL": "Column of the length: of each answer, such as its words, or of each document in characters.",
    "--category COL": "Column of the category, or key of metadata.",
    "--title COL": "Column of the title, or key of the metadata.",
    "--text COL": "Column of the text.",
    "--story": "Column of the story: documents of one story count as one source (default: nearly equal texts).",
    # the question
    "--sampled": "Sampled units, for the macro mean.",
    "--against FILE|COL": "The other model: a file with the same columns, or a column.",
    "--against NAME": "Model that the others are compared with.",
    "--better-than": "Another model, which must be worse: a FILE with the same columns, or a column.",
    "--not-worse-than": "Margin by which the model may be worse than --against or the --baseline.",
    "--compare FIELD=HOW": "How a field is compared: exact, text, number:0.01, date or set; repeatable.",
    "--choices": "Possible values of a field, whose probabilities sum to 1; repeatable.",
    "--max-risk": "Largest wrong proportion of what is kept.",
    "--recalibrate": "Fit maps of confidences by field to half of the documents.",
    "--delta": "Largest probability that this limit is exceeded.",
    "--write-policy": "Write the policy for howsure fields apply.",
    "--policy": "Policy that howsure fields --write-policy wrote.",
    "--metric NAME": "Metric, such as accuracy, entity_f1, ndcg@10 or bleu; repeatable.",
    "--method METHOD": "Permutation, bootstrap, gaffke, student, jackknife, mcnemar or boostsa (default: by metric).",
    "--alternative": "Two-sided, better or worse (for the model).",
    "--adjust": "How p-values are adjusted for the number of comparisons.",
    "--margin": "Smallest difference that matters.",
    "--level": "Level of the intervals; tests have size 1 - level.",
    "--bounds": "Lowest and highest possible score (default: known if all scores are 0 or 1).",
    "--lower-is-better": "Lower scores are better.",
    "--worst": "Also show this many of the worst rows: wrong with confidence, or with the worst scores.",
    "--items-total": "Number of items of the whole benchmark.",
    "--bin-size": "Minimum number of pairs per bin; auto: half of n^(2/3).",
    "--bins": "Number of bins.",
    "--binning": "Bins of equal size (adaptive), or of equal width (uniform).",
    "--simulations": "Number of simulations.",
    "--samples": "Number of samples.",
    "--seed": "Seed of random numbers.",
    "--folds": "Number of folds; each is evaluated with what was learned from the others.",
    "--method [bins|corp]": "A curve of bins, or without bins: isotonic regression (CORP).",
    "--interval [debiased|nguyen-oconnor|bootstrap|none]": "Also show an interval for the value of Algorithm 1.",
    "--test [simulation|spiegelhalter|binned|cox|cumulative]": "Test that computes p (default: the binned test).",
    "--method [linear|logit]": "Linear: least squares; logit: logistic regression.",
    "--map": "Map that recalibrate fit wrote.",
    "--labelled FILE.csv": "File that counts sample wrote, with labels filled in.",
    "--labels N": "Number of items to label.",
    "--design": "How the items to label are drawn.",
    "--share": "Proportions of the units instead of numbers.",
    "--width FLOAT": "Desired width of the interval.",
    # events and texts
    "--period [week|month|quarter|year]": "Length of a period.",
    "--date-format": "Date format, such as %d/%m/%Y (default: ISO 8601, or else the only format that fits).",
    "--since": "First day (YYYY-MM-DD).",
    "--until": "Last day (YYYY-MM-DD).",
    "--top": "Number of the most frequent ones to show.",
    "--actor ACTOR[,ACTOR]…": "Actor, by code or name; repeatable.",
    "--question": "Question that coders answer (default: made from the rule).",
    "--coders": "Names of the coders.",
    "--rule NAME|FILE": "attack, attack-wide (also nouns before nouns: US forces; no negated events), or a YAML file.",
    "--store OUT": "DuckDB file to write, or to resume.",
    "--limit": "Number of documents.",
    "--workers": "Number of processes (default: one per processor, at most 4).",
    "--encoding": "Encoding of text files, such as windows-1252 (default: UTF-8).",
    "--model FILE": "Coreference model (default: the bundled one).",
    "--parser": "spaCy pipeline that parses texts.",
    "--mentions": "Use annotated mentions, or those detected in the parse.",
    "--misplaced": "What to do about mentions that cross sentences, or begin or end inside a word.",
    "--singletons": "Include entities with a single mention?",
    "--column": "Column of tags in files of words (default: last).",
    "--column xpos|upos|N": "Tags to use: of CoNLL-U xpos or upos, of words in columns the N-th (xpos: the last).",
    "--tag-pairs": "The N most frequent pairs of consecutive tags.",
    "--unknown-tags": "What to do about tags or types that the model does not have; keep: they count as wrong.",
    "--k-best": "Use the K most probable sequences of each sentence.",
    "--dev": "File to evaluate on after training, or to choose the best pass.",
    "--test FILE": "File to evaluate on, which was not used for training.",
    # which files, and how they are read
    "--from": "Format of the files (default: recognised by name and content); howsure help input lists them.",
    "--where": "Use only the rows for which this is true, e.g. \"prompt = 'first' and n > 3\".",
    "--by-file": "Make each file's name a column, called file, for --group, --cluster and --where.",
    "--across-files": "Equal values of --id or --cluster in several files: the same item, or separate ones.",
    "--skip-missing": "Leave out rows with missing values, and count them.",
    "--missing": "A value to treat as missing, such as 'unparseable' (see --skip-missing). Repeatable.",
    "--normalise": "Divide log-likelihoods of choices in a log by their characters, bytes or tokens.",
    "--labels-from": "Table of a log's right answers, with columns id, label and, if there are several, question.",
    "--explode": "A list in each row of JSON or Parquet, such as judgments: each element becomes a row; or columns, "
    "such as ann,bob: each becomes a row, with columns column and value.",
    "--pivot": "Columns of item, rater and grade in a table with a row for each grade: items become rows, raters "
    "columns.",
    "--model-version": "The model that answered, if responses with decisions name an alias or no model.",
    "--independent-rows": "Rows are independent although an item repeats: items are not clusters.",
    # what is printed and written
    "--format": "Format of the result.",
    "--columns": "Columns of the table, in this order (default: all).",
    "--verbose": "Print all rows and notes (default: 12 rows and the three most serious notes).",
    "--output": "File to write the result to.",
    "--output FOLDER": "Folder to write into.",
    "--raw": "Do not escape names for terminals and spreadsheets.",
    "--figure": "Draw the result: .svg, .png or .pdf.",
    "--width INCHES": "Width of the figure, such as 3.3 for one column of a page of two.",
    "--axis": "Axes of the figure: all of [0, 1], the part with bins, log-odds; auto: by the position of the bins.",
    "--report FILE.html": "Write a report as one self-contained HTML file; an earlier one is replaced.",
}

TOPICS = {  # options that `--help` lists in a line, explained by `howsure help TOPIC`
    "input": (
        *("--probs", "--probs-column", "--logits", "--logprobs", "--verbalised", "--reduce", "--classes"),
        *("--where", "--by-file", "--across-files", "--skip-missing", "--missing", "--from", "--encoding"),
        *("--normalise", "--labels-from", "--explode", "--pivot", "--model-version", "--independent-rows"),
    ),
    "output": (
        *("--format", "--columns", "--verbose", "--output FILE", "--raw"),
        *("--figure", "--width INCHES", "--axis", "--report FILE.html"),
    ),
    "settings": (
        *(
            "--level",
            "--adjust",
            "--alternative",
            "--interval",
            "--test [simulation|spiegelhalter|binned|cox|cumulative]",
        ),
        *("--seed", "--resamples", "--simulations", "--samples", "--two-way", "--sample-size FLOAT", "--folds"),
        *("--bin-size", "--bins", "--binning", "--weight COL", "--stratum", "--bounds", "--assume-no-rare-losses"),
        *("--clusters-total", "--largest-cluster", "--alarms-over", "--junit", "--summary FILE", "--experiments"),
        *(
            "--positive",
            "--lower-is-better",
            "--date DATE",
            "--workers",
            "--part",
            "--encoding",
            "--bad-dates",
            "--stemming",
            "--misplaced",
            "--missing-score",
            "--column",
        ),
    ),
}
SYNONYMS = {
    "--label": "--target",
    "--truth": "--target",
    "--by": "--group",
    "--strata": "--stratum",
    "--out": "--output",
    "--input-format": "--from",
}


def value_placeholder(option: click.Option) -> str:
    """The value of an option as shown in its help; "" for a flag.

    >>> value_placeholder(click.Option(["--limit"], metavar="N"))
    'N'
    >>> value_placeholder(click.Option(["--side"], type=click.Choice(["a", "b"])))
    '[a|b]'
    """
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice) and option.metavar is None:
        return f"[{'|'.join(map(str, option.type.choices))}]"
    return option.metavar or option.type.name.upper()


def names(option: click.Option) -> Sequence[str]:
    """An option with what it takes, and alone: its keys in these tables."""
    return f"{option.opts[0]} {value_placeholder(option)}", option.opts[0]


def help_text(option: click.Option) -> str | None:
    """The help of an option; None if its command explains it."""
    return next((OPTION_HELP[name] for name in names(option) if name in OPTION_HELP), None)


def topic(option: click.Option) -> str | None:
    """The topic that explains an option; None if `--help` of a command lists it."""
    if option.required:
        return None
    return next((topic for topic, options in TOPICS.items() if set(options) & set(names(option))), None)
