// Texts, numbers and dates in the language of the page.

import { LOCALE, TEXTS } from "./catalogue.js";

const FORMS = new Intl.PluralRules(LOCALE);
const DATES = new Intl.DateTimeFormat(LOCALE, { dateStyle: "long", timeZone: "UTC" });
const MONTHS = new Intl.DateTimeFormat(LOCALE, { month: "long", year: "numeric", timeZone: "UTC" });

export function whole(value) {
  return value.toLocaleString(LOCALE, { maximumFractionDigits: 0, signDisplay: "negative" });
}

// A text of the catalogue, in the plural form for `n` where it has several; its values are put in, numbers as whole ones.
export function say(key, values = {}) {
  const entry = TEXTS[key];
  const text = typeof entry === "string" ? entry : entry[FORMS.select(Math.abs(values.n))] ?? entry.other;
  return text.replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? whole(values[name]) : values[name]));
}

export function list(names) {
  return new Intl.ListFormat(LOCALE, { style: "long", type: "conjunction" }).format(names);
}

// A date in a sentence; tables have the ISO form.
export function day(date) {
  return DATES.format(Date.parse(date));
}

// A period in a sentence: a month has its name.
export function periodName(period) {
  return /^\d{4}-\d{2}$/.test(period) ? MONTHS.format(Date.parse(period)) : period;
}

export const LEVELS = ["0.8", "0.9", "0.95"];
export const UNITS = { documents: say("unit_documents"), share: say("unit_share"), entities: say("unit_entities") };
export const PERIODS = { week: say("period_week"), month: say("period_month"), quarter: say("period_quarter"), year: say("period_year") };
export const INTERVALS = { exact: say("interval_exact"), normal: say("interval_normal"), samples: say("interval_samples") };
export const SCALES = { same: say("scale_same"), own: say("scale_own") };
export const COUNTS = { corrected: say("counts_corrected"), raw: say("counts_raw") };

const LONGEST_EVENT = 240;

// The event that is counted: the name of the rule and its words, cut where they are many (the settings have them all).
export function eventText({ event }) {
  return say("counted_event", { event: event.length > LONGEST_EVENT ? `${event.slice(0, LONGEST_EVENT)}…` : event });
}

// What the bands of a chart include.
export function bandsText({ imported }, bands = say("bands_intervals")) {
  return imported ? say("bands_imported", { bands }) : say("bands_coreference", { bands });
}

// A share as it is read: 0.95 is 95%.
export function percent(share, most = 4) {
  return Number(share).toLocaleString(LOCALE, { style: "percent", maximumFractionDigits: most, signDisplay: "negative" });
}

// A number to some digits.
export function decimal(value, digits) {
  return value.toLocaleString(LOCALE, { minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: "negative" });
}

function withUnit(value, unit, digits) {
  if (value === null || value === undefined) return "–";
  return unit === "share" ? percent(value, 2) : decimal(value, digits);
}

// An estimated count or share.
export function amount(value, unit) {
  return withUnit(value, unit, Math.abs(value) >= 1000 ? 0 : 1);
}

// An end of its interval, or a count that is one: whole, unless it is a share.
export function end(value, unit) {
  return withUnit(value, unit, 0);
}

// A probability to two digits, never rounded to certainty.
export function probability(value) {
  if (value === null || value === undefined) return "–";
  if (value > 0 && value < 0.005) return `< ${decimal(0.01, 2)}`;
  if (value < 1 && value > 0.995) return `> ${decimal(0.99, 2)}`;
  return decimal(value, 2);
}

// The same in a sentence: "= 0.53", but "> 0.99".
export function probabilityIs(value) {
  const text = probability(value);
  return /^[<>]/.test(text) ? text : `= ${text}`;
}

export function yesOrNo(value) {
  return value ? say("yes") : say("no");
}

export function named(title, code) {
  return title.toLowerCase() === code.toLowerCase() ? title : `${title} (${code})`;
}

export function documentCount(n) {
  return say("n_documents", { n });
}

// Whether a row of a series has a count corrected by labels.
export function isCorrected(row) {
  return row.correctedHigh !== null && row.correctedHigh !== undefined;
}

// A corrected count without an estimate, since the labels do not allow one; its interval holds.
export function isWithdrawn(row) {
  return isCorrected(row) && row.corrected === null;
}

// A corrected count of which only the interval is shown: it has no estimate, or no label is positive, so that the
// estimate is 0, which would read as none where the interval is not.
export function isIntervalOnly(row) {
  return isWithdrawn(row) || (row.positives === 0 && row.corrected === 0 && row.correctedHigh > 0);
}

export function intervalText(low, high, unit) {
  return low === null || low === undefined ? "–" : say("interval_ends", { low: end(low, unit), high: end(high, unit) });
}

// What a point of a series says, in one sentence.
export function pointText(title, row, unit, level) {
  const where = row.incomplete ? say("point_incomplete", { title, period: periodName(row.period) }) : `${title}, ${periodName(row.period)}`;
  if (row.mean === null) return say("point_empty", { where });
  const count = (value) => (unit === "share" ? amount(value, unit) : say("point_count", { count: amount(value, unit), unit: UNITS[unit] }));
  const values = { where, n: row.documents, level: percent(level), best: end(row.best, unit), raw: amount(row.mean, unit) };
  if (isCorrected(row)) {
    return say("point_corrected", { ...values, count: isIntervalOnly(row) ? "–" : count(row.corrected), interval: intervalText(row.correctedLow, row.correctedHigh, unit), labelled: row.read });
  }
  return say("point_raw", { ...values, count: count(row.mean), interval: intervalText(row.low, row.high, unit) });
}

// The parts of a corrected count: positive labels, and the estimate for unlabelled documents.
// `below`: positive documents that the model gave a probability below 0.5; `absent`: those of them without any.
export function behindText(title, row, { below, absent }, unit, level) {
  const scale = unit === "share" ? row.documents : 1;
  const count = row.corrected * scale;
  const rest = Math.max(0, count - row.positives);
  const [low, high] = [row.correctedLow * scale, row.correctedHigh * scale];
  const interval = { title, n: row.documents, low: end(low), high: end(high) };
  if (isIntervalOnly(row)) return `${say("answer_interval", interval)} ${say("labelled_of", { answered: row.read, n: row.documents })}.`;
  const estimate = isWithdrawn(row) ? say("answer_withdrawn", interval)
    : say("behind_estimate", { title, count: amount(count), n: row.documents, level: percent(level), interval: intervalText(low, high) });
  const labels = say("behind_labels", { n: row.read, positives: row.positives, below });
  const missed = below ? ` ${say("behind_missed", { n: absent })}` : "";
  if (isWithdrawn(row)) return `${estimate} ${labels}${missed}`;
  const share = count > 0 ? ` (${percent(Math.round((100 * rest) / count) / 100)})` : "";
  return `${estimate} ${labels}${missed} ${say("behind_rest", { rest: `${amount(rest)}${share}`, n: row.documents - row.read })}`;
}

// The answer for one actor in all periods: corrected by labels and with an interval, or as the model has it. The period
// with most is named only where its interval lies above what all others are estimated to have.
export function answerText(title, rows, total, unit, { imported }) {
  const periods = rows.filter((row) => row.mean !== null);
  const n = periods.reduce((all, row) => all + row.documents, 0);
  const sum = periods.reduce((all, row) => all + row.mean * (unit === "share" ? row.documents : 1), 0);
  const count = (value) => (unit === "entities" ? say("n_entities", { n: Math.round(value) }) : end(value, unit));
  const raw = count(unit === "share" ? sum / Math.max(n, 1) : sum);
  if (total?.corrected === undefined) {
    return imported ? say("answer_model", { title, raw, n }) : say("answer_rule", { title, raw, n });
  }
  const [most, ...others] = periods.toSorted((a, b) => b.corrected - a.corrected);
  const stands = others.length && most.correctedLow > others[0].corrected;
  const top = stands ? say("answer_most", { period: periodName(most.period), count: end(most.corrected, unit), interval: intervalText(most.correctedLow, most.correctedHigh, unit) }) : "";
  const values = { title, n, low: end(total.low, unit), high: end(total.high, unit), most: top };
  // Without a positive label the estimate is not a result: the interval is the answer.
  const estimate = total.corrected === null ? say("answer_withdrawn", values) : total.positives === 0 && total.corrected < 0.5
    ? say("answer_interval", values) : say("answer_corrected", { ...values, count: end(total.corrected, unit) });
  return `${estimate} ${imported ? say("uncorrected_model", { raw }) : say("uncorrected_rule", { raw })}`;
}

// What the interval of a difference shows: which actor has more if it excludes 0, "equal" if it is 0, else null.
export function conclusion({ low, high }) {
  if (low > 0) return "greater";
  if (high < 0) return "less";
  return low === 0 && high === 0 ? "equal" : null;
}

// Whether a period of a comparison has no documents; the difference of corrected counts may be unknown nevertheless.
export function isEmpty(row) {
  return row.isEmpty ?? row.mean === null;
}

// What the comparison of two actors in a period says, and what may be concluded.
export function comparisonText(first, second, row) {
  const period = periodName(row.period);
  if (isEmpty(row)) return say("comparison_empty", { period });
  if (row.greater === null) return say("comparison_unknown", { period });
  const conclusions = { greater: say("has_more", { actor: first }), less: say("has_more", { actor: second }), equal: say("both_equal") };
  return `${period}: P(${first} > ${second}) ${probabilityIs(row.greater)}, P(${first} = ${second}) ${probabilityIs(row.equal)}, ` +
    `P(${first} < ${second}) ${probabilityIs(row.less)}. ${conclusions[conclusion(row)] ?? say("no_conclusion")}.`;
}
