"""Help texts of options, written once for all commands; groups of options that `--help` lists on one line; synonyms.

A key is the name of an option, or its name and the placeholder of its value ("--width INCHES") if commands use the name
for different options. An option of a single command may be explained where it is defined.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

LOGS = (
    "lm-eval, inspect, helm, lighteval, openai, decisions, tau2, harbor, terminal-bench, swe-bench, bfcl, "
    "openai-evals, hf, promptfoo, deepeval, alpaca-eval, livecodebench, mmlu-pro, human-eval, evalplus, every-eval-ever"
)
FORMATS_READ = (
    f"Tables: csv, tsv, jsonl, json, parquet, npz. Logs: {LOGS}. Where a command reads tagged sentences: conllu, "
    "conll-2012, three-columns, columns, crfsuite, text. Where it reads documents: jsonl, csv, tsv, parquet, conllu."
)

OPTION_HELP = {
    # columns and their contents
    "--target": "Column of the true labels or grades.",
    "--prob": "Column of the predicted probability.",
    "--probs": "Columns of class probabilities.",
    "--probs-column": "Column containing a list of class probabilities.",
    "--logits": "Logits: several columns or one of lists (softmax), or one number per row (sigmoid).",
    "--logprobs": "Log-probabilities of classes (normalised), or of the answer only (exp).",
    "--verbalised": "Column of texts with a stated confidence: '85 % sure', 'Confidence: 0.85', '8/10'.",
    "--reduce": "Pairs made of class probabilities: top-label, class-wise, or the name of one class.",
    "--classes": "Names of the classes, in order.",
    "--prediction": "Column of the model's predictions.",
    "--score COL": "Column of scores: numbers, or 1 if right.",
    "--score FILE": "Also use the numbers in FILE: columns document, perhaps actor, and any number of scores.",
    "--model COL": "Column with the model's name.",
    "--group": "Column of groups (several: a,b).",
    "--cluster": "Column of clusters, such as documents.",
    "--stratum": "Column of strata, in each of which rows were drawn at random.",
    "--inclusion": "Column of inclusion probabilities: the probability with which each row was drawn to be labelled.",
    "--weight COL": "Column of row weights.",
    "--id": "Column of item ids (several: a,b).",
    "--run": "Column of the run of a repeated item.",
    "--error": "Column of the error that ended a trial, such as a timeout; empty, 0 or false if none did.",
    "--cost": "Column of the cost of each trial, above 0: dollars, seconds or tokens.",
    "--date COL": "Column of the date of each row.",
    "--document COL": "Column of the document of each value.",
    "--field COL": "Column of the field of each value, such as total or items[0].price.",
    "--value": "Column of the predicted values.",
    "--confidence COL": "Column of the confidence of each value (default: from logprobs).",
    "--gold FILE|COL": "True values: files by document (JSON, a folder or a table), or a column.",
    "--second": "Column of a second annotator's labels.",
    "--settled": "Column of final labels where two annotators disagree.",
    "--flips": "Assume that annotators mislabel positives and negatives equally often.",
    "--positive": "Label that counts as 1 (default: 1, true); the other label, or in score all others, count as 0.",
    "--targets FILE": "File of the true labels, in order or by --id.",
    "--features COL,COL,…": "Columns to learn from: names, numbers, dates; length(COL) is the length of a text.",
    "--show": "Columns to show or to copy, such as question,answer.",
    "--covariates": "Columns that the outcome may depend on; categories are compared with the first one.",
    "--fixed-effects": "Columns of names that get fixed effects, such as unit and year.",
    "--treated": "Column that is 1 for treated units; with --after, a difference in differences.",
    "--after": "Column that is 1 after the change; without --treated, before and after are compared.",
    "--rater COL": "Column of the rater.",
    "--raters": "Columns of grades, one for each rater, of a table with a row per item.",
    "--length COL": "Column of lengths: of answers, such as their number of words, or of documents, in characters.",
    "--category COL": "Column, or key of the metadata, of the category.",
    "--title COL": "Column, or key of the metadata, of the title.",
    "--text COL": "Column of the text.",
    "--story": "Column of the story; documents of one story count as one source (default: nearly equal texts).",
    # the question
    "--sampled": "For --macro: what was sampled at random.",
    "--against FILE|COL": "The other model: a file with the same columns, or a column.",
    "--against NAME": "Model that the others are compared with.",
    "--better-than": "Model that must be worse: a file or a column.",
    "--not-worse-than": "Margin by which the model may be worse than --against or the --baseline.",
    "--compare FIELD=HOW": "How a field is compared: exact, text, number:0.01, date or set; repeatable.",
    "--choices": "Possible values of a field, whose probabilities sum to 1; repeatable.",
    "--max-risk": "Largest allowed proportion of errors among what is kept.",
    "--recalibrate": "Recalibrate the confidences of each field, with half of the documents.",
    "--delta": "Largest allowed probability that --max-risk is exceeded.",
    "--write-policy": "Write the policy for howsure fields apply.",
    "--policy": "Policy that howsure fields --write-policy wrote.",
    "--metric NAME": "Metric, such as macro_f1 or bleu; repeatable (all: docs/significance.md).",
    "--method METHOD": "Permutation, bootstrap, gaffke, student, jackknife, mcnemar or boostsa (default: by metric).",
    "--alternative": "Two-sided, better or worse (for the model).",
    "--adjust": "How p-values are adjusted for the number of comparisons.",
    "--margin": "Smallest difference that matters.",
    "--level": "Level of the intervals; tests have size 1 - level.",
    "--bounds": "Lowest and highest possible score, such as 1,5 (default: 0,1 if all scores are 0 or 1).",
    "--lower-is-better": "Lower scores are better.",
    "--worst": "Also show the N worst rows: confidently wrong ones, or those with the worst scores.",
    "--items-total": "Number of items of the whole benchmark.",
    "--bin-size": "Minimum number of pairs per bin; auto: half of n^(2/3).",
    "--bins": "Number of bins.",
    "--binning": "Bins of equal size (adaptive), or of equal width (uniform).",
    "--simulations": "Number of simulations.",
    "--samples": "Number of samples.",
    "--seed": "Seed of random numbers.",
    "--folds": "Number of folds; each is evaluated with a map fitted to the others.",
    "--method [bins|corp]": "Curve of bins, or of isotonic regression (CORP).",
    "--interval [debiased|nguyen-oconnor|bootstrap|none]": "Also show an interval of Algorithm 1's error.",
    "--test [simulation|spiegelhalter|binned|cox|cumulative]": "Test that computes p (default: the binned test).",
    "--method [linear|logit]": "Linear: least squares; logit: logistic regression.",
    "--map": "Recalibration map, a file that howsure recalibrate fit wrote.",
    "--labelled FILE.csv": "File that howsure counts sample wrote, with labels filled in.",
    "--labels N": "Number of items to label.",
    "--design": "How the items to label are drawn.",
    "--share": "Estimate proportions of the units instead of numbers.",
    "--width FLOAT": "Desired width of the interval.",
    # events and texts
    "--period [week|month|quarter|year]": "Length of a period.",
    "--date-format": "Date format, such as %d/%m/%Y (default: ISO 8601, or else the only format that fits).",
    "--since": "First day (YYYY-MM-DD).",
    "--until": "Last day (YYYY-MM-DD).",
    "--top": "Number of most frequent actors to show.",
    "--actor ACTOR[,ACTOR]…": "Actor, by code or name; repeatable.",
    "--question": "Question that the annotators answer (default: made from the rule).",
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
    "--column xpos|upos|N": "Tags to use: xpos or upos of CoNLL-U, or column N of a file of words (xpos: the last).",
    "--tag-pairs": "Use the N most frequent pairs of consecutive tags.",
    "--unknown-tags": "What to do about tags or types that the model does not have; with keep, they count as wrong.",
    "--k-best": "Use the K most probable sequences of each sentence.",
    "--dev": "File to evaluate on after training, or to choose the best epoch.",
    "--test FILE": "File to evaluate on, which was not used for training.",
    # which files, and how they are read
    "--from": "Format of the files (default: recognised by name and content); howsure help input lists formats.",
    "--where": "Use only the rows for which this is true, e.g. \"prompt = 'first' and n > 3\".",
    "--by-file": "Add a column named file with each row's file name, for --group, --cluster and --where.",
    "--across-files": "Whether equal values of --id or --cluster in several files are the same item or separate ones.",
    "--skip-missing": "Leave out rows with missing values, and count them.",
    "--missing": "Value to treat as missing, such as 'unparseable' (see --skip-missing); repeatable.",
    "--normalise": "Divide log-likelihoods of choices in a log by their number of characters, bytes or tokens.",
    "--labels-from": "Table of a log's correct answers, with columns id, label and, if there are several, question.",
    "--explode": "List column of JSON or Parquet, such as judgments: each element becomes a row. Or several columns, "
    "such as ann,bob: each becomes a row, with its name in column and its value in value.",
    "--pivot": "Columns of item, rater and grade in a table with a row for each grade: each item becomes a row, "
    "each rater a column.",
    "--model-version": "The model that answered, if decision responses name an alias or no model.",
    "--independent-rows": "Rows are independent although items repeat (default: repeated items are clusters).",
    # what is printed and written
    "--format": "Format of the result.",
    "--columns": "Columns of the table, in this order (default: all).",
    "--verbose": "Print all rows and notes (default: 12 rows and the three most serious notes).",
    "--output": "File to write the result to.",
    "--output FOLDER": "Folder to write into.",
    "--raw": "Do not escape names for terminals and spreadsheets.",
    "--figure": "Draw the result: .svg, .png or .pdf.",
    "--width INCHES": "Width of the figure in inches, such as 3.3 for one column of a two-column page.",
    "--axis": "Axes of the figure: [0, 1], the range of the bins, or log-odds; auto chooses by the bins.",
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
        *("--level", "--adjust", "--alternative", "--interval"),
        "--test [simulation|spiegelhalter|binned|cox|cumulative]",
        *("--seed", "--resamples", "--simulations", "--samples", "--two-way", "--sample-size FLOAT", "--folds"),
        *("--bin-size", "--bins", "--binning", "--weight COL", "--stratum", "--bounds", "--assume-no-rare-losses"),
        *(
            "--items-total INTEGER",
            "--name NAME",
            "--clusters-total",
            "--largest-cluster",
            "--alarms-over",
            "--junit",
            "--summary FILE",
            "--experiments",
        ),
        *("--positive", "--class NAME", "--lower-is-better", "--date DATE", "--workers", "--part"),
        *("--encoding", "--bad-dates", "--stemming", "--misplaced", "--missing-score", "--column"),
    ),
}
SYNONYMS = {
    "--label": "--target",
    "--truth": "--target",
    "--by": "--group",
    "--strata": "--stratum",
    "--out": "--output",
    "--input-format": "--from",
    "--at-least": "--min-score",
    "--at-most": "--max-score",
}


def value_placeholder(option: click.Option) -> str:
    """Return the placeholder of an option's value in its help; "" for a flag.

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
    """Return the keys of an option in these tables: its name with its placeholder, and its name."""
    return f"{option.opts[0]} {value_placeholder(option)}", option.opts[0]


def help_text(option: click.Option) -> str | None:
    """Return the help of an option; None if its command explains it."""
    return next((OPTION_HELP[name] for name in names(option) if name in OPTION_HELP), None)


def topic(option: click.Option) -> str | None:
    """Return the topic that explains an option; None if `--help` of the command lists it."""
    if option.required:
        return None
    return next((topic for topic, options in TOPICS.items() if set(options) & set(names(option))), None)
