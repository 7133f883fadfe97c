// The data of a page that is one file: the answers lie in it already, packed by columns (`page_file.py`).

import { say } from "./wording.js";

const COLUMNS = ["mean", "low", "high", "best"];
const SIDES = ["greater", "equal", "less", "mean", "low", "high"];
const CORRECTED = { corrected: "corrected", corrected_low: "low", corrected_high: "high", labelled: "read", positives: "positives" };

function rowsOf(periods, columns, names) {
  return periods.map((period, at) => {
    const row = { ...period };
    for (const name of names) row[name] = columns[name] ? columns[name][at] : null;
    return row;
  });
}

// The same comparison seen from the other side.
function swapped(row) {
  const minus = (value) => (value === null ? null : -value);
  return { ...row, greater: row.less, less: row.greater, mean: minus(row.mean), low: minus(row.high), high: minus(row.low) };
}

// As Python writes CSV (in_a_spreadsheet and csv_line in show/table.py): no cell is a formula, whatever the separator.
const STEERING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]/gu;
const SIGNED = /(?<![^;\t\n])('*)(?=[=+\-@＝＋－＠])/g;
const NUMBER = /^[+-]?(\d+\.?\d*(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?|inf|infinity|nan)$/i;

function inASpreadsheet(text) {
  const shown = text.replace(STEERING, (one) => `\\u${one.codePointAt(0).toString(16).padStart(4, "0")}`);
  const cell = shown.replace(SIGNED, (quotes, _, at) => {
    const [part] = /^[^;\t\n]*/.exec(shown.slice(at + quotes.length));
    return quotes === "" && (part.length === 1 || NUMBER.test(part)) ? quotes : `'${quotes}`;
  });
  return text.length > 1 && /^'*[\t\r\n]/.test(text) ? `'${cell}` : cell;
}

export function csvCell(value) {
  if (value === null) return "";
  const text = typeof value === "string" ? inASpreadsheet(value) : String(value);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// The data in the page, which are JSON compressed by gzip, as base64.
export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

export function embeddedSource(data) {
  const series = ({ actors, period, unit, interval }) => Object.fromEntries(actors.map((actor) =>
    [actor, rowsOf(data.periods[period], data.series[period][unit][interval][actor], COLUMNS)]));

  const point = ({ actor, at }) => {
    const span = Object.values(data.periods).flat().find((one) => one.period === at);
    if (!span) throw new Error(say("no_period_here", { period: at }));
    return data.index
      .filter((one) => one.events[actor] && span.start <= one.date && one.date <= span.end)
      .map(({ events, ...one }) => ({ ...one, ...events[actor], held: one.document in data.documents }))
      .sort((a, b) => b.probability - a.probability || (a.date < b.date ? -1 : a.date > b.date ? 1 : a.document - b.document));
  };

  const view = ({ number, sample }) => {
    const held = data.documents[number];
    if (!held) throw new Error(say("no_text_here"));
    if (sample === "best") return { ...held.view, held: held.samples.length };
    const one = held.samples[sample];
    if (!one) throw new Error(say("no_sample_here", { n: held.samples.length }));
    return {
      ...held.view, sample, held: held.samples.length,
      mentions: held.view.mentions.map((mention, at) => ({ ...mention, entity: one.entities[at] })),
      actors: held.view.actors.map((actor, at) => ({ ...actor, present: Boolean(one.actors[at]) })),
      evidence: held.view.evidence.map((row, at) => ({ ...row, present: Boolean(one.evidence[at]) })),
    };
  };

  const compare = ({ first, second, period, unit }) => {
    const tables = data.comparisons[period][unit];
    const find = (a, b) => tables.find((one) => one.first === a && one.second === b);
    const straight = find(first, second);
    if (straight) return rowsOf(data.periods[period], straight, SIDES);
    return rowsOf(data.periods[period], find(second, first), SIDES).map(swapped);
  };

  const corrected = ({ period, unit }) => data.corrected[period][unit];

  const correctedPair = ({ first, second, period }) => {
    const find = (a, b) => data.correctedPairs[period].find((one) => one.first === a && one.second === b);
    const [held, turn] = find(first, second) ? [find(first, second), (row) => row] : [find(second, first), swapped];
    if (held.reason) return held;
    return { rows: rowsOf(data.periods[period], held.columns, SIDES).map(turn), total: turn(held.total) };
  };

  const csv = (asked) => {
    const corrections = data.corrected?.[asked.period][asked.unit].series;
    const fields = corrections ? Object.entries(CORRECTED) : [];
    const names = ["actor", "title", "period", "start", "end", "n_documents", ...COLUMNS, ...fields.map(([name]) => name)];
    const titles = Object.fromEntries(data.overview.actors.map((actor) => [actor.code, actor.title]));
    const lines = Object.entries(series(asked)).flatMap(([actor, rows]) => rows.map((row, at) =>
      [actor, titles[actor], row.period, row.start, row.end, row.documents, ...COLUMNS.map((name) => row[name]),
        ...fields.map(([, name]) => corrections[actor]?.[name][at] ?? null)]));
    const totals = data.corrected?.[asked.period][asked.unit].totals;
    const sums = totals ? Object.entries(series(asked)).map(([actor, rows]) => {
      const counted = rows.filter((row) => row.documents);
      const documents = counted.reduce((sum, row) => sum + row.documents, 0);
      const weight = (row) => (asked.unit === "share" ? row.documents / Math.max(documents, 1) : 1);
      const mean = counted.reduce((sum, row) => sum + row.mean * weight(row), 0);
      return [actor, titles[actor], "all", rows[0].start, rows.at(-1).end, documents,
        ...COLUMNS.map((name) => (name === "mean" ? mean : null)), ...fields.map(([, name]) => totals[actor]?.[name] ?? null)];
    }) : [];
    return [names, ...lines, ...sums].map((cells) => `${cells.map(csvCell).join(",")}\n`).join("");
  };

  const doubtful = ({ actor }) => data.doubtful
    .filter((one) => actor === undefined || one.actor === actor)
    .map((one) => ({ ...one, held: one.document in data.documents }));

  const later = (answer) => async (asked) => answer(asked);
  return {
    overview: async () => data.overview,
    series: later(series), point: later(point), document: later(view), compare: later(compare),
    corrected: later(corrected), correctedPair: later(correctedPair),
    doubtful: later(doubtful), csv: later(csv),
  };
}
