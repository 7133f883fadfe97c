// Numbers and names as they are read.

export const LEVELS = ["0.8", "0.9", "0.95"];
export const UNITS = { documents: "documents", share: "share of documents", entities: "entities" };
export const PERIODS = { week: "week", month: "month", quarter: "quarter", year: "year" };
export const INTERVALS = { exact: "exact", normal: "normal (the paper’s)", samples: "quantiles of samples" };

export const COUNTS = { corrected: "corrected by labels", raw: "raw: what the model finds" };

const LONGEST_EVENT = 240;

// The event that is counted: the name of the rule and its words, cut where they are many (the settings have them all).
export function eventText({ event }) {
  return `Counted event: ${event.length > LONGEST_EVENT ? `${event.slice(0, LONGEST_EVENT)}…` : event}`;
}

// What the bands of a chart include.
export function bandsText({ imported, uncertainty }, bands = "The bands") {
  if (imported) return `${bands} include the uncertainty of ${uncertainty}`;
  return `${bands} include the uncertainty of coreference, not that of the parse, the names, the rule or the news.`;
}

// What those of counts corrected by labels include.
export const CORRECTED_BANDS = "The counts are corrected by labels: their bands include what the model misses and invents, " +
  "not errors of the readers, nor what the news omits.";

// A level as it is read: 0.95 is 95 %.
export function percent(level) {
  return `${Number((100 * level).toFixed(6))} %`;
}

export function whole(value) {
  return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

// A count or a share: as many digits as help.
export function amount(value, unit) {
  if (value === null || value === undefined) return "–";
  if (unit === "share") return `${(100 * value).toLocaleString("en-US", { maximumFractionDigits: 2 })} %`;
  const digits = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 100 ? 1 : 2;
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
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

// What a point of a series says, in one sentence.
export function pointText(title, row, unit, level) {
  const of = counted(row.documents, "document");
  const what = unit === "share" ? "" : ` ${UNITS[unit]}`;
  const between = (low, high) => `${percent(level)} interval ${amount(low, unit)} to ${amount(high, unit)}`;
  if (row.mean === null) return `${title}, ${row.period}: no documents`;
  const best = `1-best ${amount(row.best, unit)}`;
  if (isCorrected(row)) {
    return `${title}, ${row.period}: ${amount(row.corrected, unit)}${what} corrected by labels, ` +
      `${between(row.correctedLow, row.correctedHigh)}; raw ${amount(row.mean, unit)}; of ${of}, ${whole(row.read)} read`;
  }
  return `${title}, ${row.period}: ${amount(row.mean, unit)}${what} expected, ${between(row.low, row.high)}, ${best}, of ${of}`;
}

// What the comparison of two actors in a period says, and what may be concluded.
export function comparisonText(first, second, row, level) {
  if (row.greater === null) return `${row.period}: no documents`;
  const said = `${row.period}: P(${first} > ${second}) ${probabilityIs(row.greater)}, ` +
    `P(equal) ${probabilityIs(row.equal)}, P(${first} < ${second}) ${probabilityIs(row.less)}`;
  if (row.greater >= level) return `${said}. ${first} acts in more.`;
  if (row.less >= level) return `${said}. ${second} acts in more.`;
  return row.equal >= level ? `${said}. They act equally often.` : `${said}. No conclusion at ${level}.`;
}
