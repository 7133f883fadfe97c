// Numbers and names as they are read.

export const LEVELS = ["0.8", "0.9", "0.95"];
export const UNITS = { documents: "documents", share: "share of documents", entities: "entities" };
export const PERIODS = { week: "week", month: "month", quarter: "quarter", year: "year" };
export const INTERVALS = { exact: "exact", normal: "normal (the paper’s)", samples: "quantiles of samples" };

export const SCALES = { same: "one for all actors", own: "one for each actor" };
export const COUNTS = { corrected: "corrected by labels", raw: "raw: what the model finds" };

const LONGEST_EVENT = 240;

// The event that is counted: the name of the rule and its words, cut where they are many (the settings have them all).
export function eventText({ event }) {
  return `Counted event: ${event.length > LONGEST_EVENT ? `${event.slice(0, LONGEST_EVENT)}…` : event}`;
}

// What finds events before anybody has read: the rule of the store, or the model whose scores were imported.
export function finderOf({ imported }) {
  return imported ? "model" : "rule";
}

// What the bands of a chart include.
export function bandsText({ imported, uncertainty }, bands = "The intervals") {
  if (imported) return `${bands} include the uncertainty of ${uncertainty}`;
  return `${bands} include the uncertainty of coreference, not that of the parse, the names, the rule or the news.`;
}

// What those of counts corrected by labels include.
export const CORRECTED_BANDS = "The counts are corrected by labels: their intervals include what the model misses and invents, " +
  "not errors of the readers, nor what the news omits.";

// A level as it is read: 0.95 is 95 %.
export function percent(level) {
  return `${Number((100 * level).toFixed(6))} %`;
}

export function whole(value) {
  return value.toLocaleString("en-US", { maximumFractionDigits: 0, signDisplay: "negative" });
}

function withUnit(value, unit, digits) {
  if (value === null || value === undefined) return "–";
  const [shown, sign, most] = unit === "share" ? [100 * value, " %", 2] : [value, "", digits];
  return shown.toLocaleString("en-US", { minimumFractionDigits: unit === "share" ? 0 : digits, maximumFractionDigits: most, signDisplay: "negative" }) + sign;
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
  if (value > 0 && value < 0.005) return "< 0.01";
  if (value < 1 && value > 0.995) return "> 0.99";
  return value.toFixed(2);
}

// The same in a sentence: "= 0.53", but "> 0.99".
export function probabilityIs(value) {
  const text = probability(value);
  return /^[<>]/.test(text) ? text : `= ${text}`;
}

export function named(title, code) {
  return title.toLowerCase() === code.toLowerCase() ? title : `${title} (${code})`;
}

export function counted(n, one, many = `${one}s`) {
  return `${whole(n)} ${n === 1 ? one : many}`;
}

// Whether a row of a series has a count corrected by labels.
export function isCorrected(row) {
  return row.corrected !== null && row.corrected !== undefined;
}

export function intervalText(low, high, unit) {
  return low === null || low === undefined ? "–" : `${end(low, unit)} to ${end(high, unit)}`;
}

// What a point of a series says, in one sentence.
export function pointText(title, row, unit, level) {
  const where = `${title}, ${row.period}${row.incomplete ? " (may be incomplete)" : ""}`;
  const of = counted(row.documents, "document");
  const what = unit === "share" ? "" : ` ${UNITS[unit]}`;
  const reach = (low, high) => `${percent(level)} interval ${intervalText(low, high, unit)}`;
  if (row.mean === null) return `${where}: no documents`;
  const best = `1-best ${end(row.best, unit)}`;
  if (isCorrected(row)) {
    return `${where}: ${amount(row.corrected, unit)}${what} corrected by labels, ` +
      `${reach(row.correctedLow, row.correctedHigh)}; raw ${amount(row.mean, unit)}; of ${of}, ${whole(row.read)} read`;
  }
  return `${where}: ${amount(row.mean, unit)}${what} expected, ${reach(row.low, row.high)}, ${best}, of ${of}`;
}

// The parts of a corrected count: positive labels, and the estimate for unlabelled documents.
// `below`: positive documents that the model gave a probability below 0.5; `absent`: those of them without any.
export function behindText(title, row, { below, absent }, unit, level) {
  const count = unit === "share" ? row.corrected * row.documents : row.corrected;
  const rest = Math.max(0, count - row.positives);
  const estimated = count > 0 ? ` (${percent(Math.round((100 * rest) / count) / 100)})` : "";
  return `${title}: about ${amount(count)} of ${counted(row.documents, "document")}, ${percent(level)} interval ` +
    `${intervalText(...[row.correctedLow, row.correctedHigh].map((one) => (unit === "share" ? one * row.documents : one)))}. ` +
    `Of ${whole(row.read)} with a label, ${whole(row.positives)} are positive; ${whole(below)} of these had a probability ` +
    `below 0.5${below ? `, ${whole(absent)} were not found at all` : ""}. ` +
    `${amount(rest)}${estimated} are estimated for the ${whole(row.documents - row.read)} without a label.`;
}

// The answer for one actor in all periods: corrected by labels and with an interval, or as the model has it. The period
// with most is named only where its interval lies above what all others are estimated to have. `finder`: see `finderOf`.
export function answerText(title, rows, total, unit, finder) {
  const periods = rows.filter((row) => row.mean !== null);
  const of = periods.reduce((all, row) => all + row.documents, 0);
  const sum = periods.reduce((all, row) => all + row.mean * (unit === "share" ? row.documents : 1), 0);
  const raw = end(unit === "share" ? sum / Math.max(of, 1) : sum, unit);
  const finds = `the ${finder} finds ${raw}${unit === "entities" ? " entities" : ""}`;
  if (total?.corrected === undefined) return `${title}: ${finds} in ${counted(of, "document")} (expected value).`;
  const [most, ...others] = periods.toSorted((a, b) => b.corrected - a.corrected);
  const stands = others.length && most.correctedLow > others[0].corrected;
  const where = stands ? `; most in ${most.period}: ${end(most.corrected, unit)} (${intervalText(most.correctedLow, most.correctedHigh, unit)})` : "";
  const about = `${title}: about ${end(total.corrected, unit)}${unit === "entities" ? " entities in" : " of"} ${counted(of, "document")}`;
  return `${about}, between ${end(total.low, unit)} and ${end(total.high, unit)}${where}. Uncorrected, ${finds} (expected value).`;
}

// What the interval of a difference shows: which actor has more if it excludes 0, "equal" if it is 0, else null.
export function conclusion({ low, high }) {
  if (low > 0) return "greater";
  if (high < 0) return "less";
  return low === 0 && high === 0 ? "equal" : null;
}

// What the comparison of two actors in a period says, and what may be concluded.
export function comparisonText(first, second, row) {
  if (row.mean === null) return `${row.period}: no documents`;
  if (row.greater === null) return `${row.period}: the labels do not show which actor has more, since neither has a positive label`;
  const said = `${row.period}: P(${first} > ${second}) ${probabilityIs(row.greater)}, ` +
    `P(equal) ${probabilityIs(row.equal)}, P(${first} < ${second}) ${probabilityIs(row.less)}`;
  const conclusions = { greater: `${first} has more`, less: `${second} has more`, equal: "Both have as many" };
  return `${said}. ${conclusions[conclusion(row)] ?? "No conclusion"}.`;
}
