// Two actors by period: how probable it is that the first acts in more, in as many, in fewer.

import { svg } from "./dom.js";
import { horizontalGrid, label, periodAxis } from "./axes.js";
import { rove } from "./roving.js";
import { comparisonText, decimal, say } from "./wording.js";

const LEFT = 54;
const RIGHT = 8;
const TOP = 12;
const HEIGHT = 130;
const FOOT = 26;
const SIDES = [["greater", "#0072b2", 1], ["equal", "#8a8f96", 0.35], ["less", "#c25400", 0.75]];

// Bars of the three probabilities, from below: greater, equal, less; they sum to 1.
function bar(row, text, x, step) {
  const wide = Math.max(1, step - Math.min(3, step / 4));
  let below = 0;
  const parts = SIDES.map(([side, fill, opacity]) => {
    const tall = HEIGHT * row[side];
    below += tall;
    return svg("rect", { class: `${side} lighter`, x: x - wide / 2, y: (TOP + HEIGHT - below).toFixed(2), width: wide, height: tall.toFixed(2), fill, "fill-opacity": opacity });
  });
  return svg("g", { class: "place", role: "img", tabindex: -1, "aria-label": text, "data-period": row.period }, parts,
    svg("rect", { class: "reach", x: x - step / 2, y: TOP, width: step, height: HEIGHT, fill: "#000", "fill-opacity": 0 }));
}

export function comparisonChart(rows, { first, second, period, width, moved }) {
  const step = (width - LEFT - RIGHT) / rows.length;
  const middle = (at) => Number((LEFT + (at + 0.5) * step).toFixed(2));
  const down = (value) => TOP + HEIGHT * (1 - value);
  const bars = rows.map((row, at) => (row.greater === null ? null : bar(row, comparisonText(first, second, row), middle(at), step)));
  const height = TOP + HEIGHT + FOOT;
  const root = svg("svg", {
    class: "chart", role: "group", tabindex: -1, width, height, viewBox: `0 0 ${width} ${height}`,
    "aria-label": say("comparison_chart", { first, second }),
  },
  horizontalGrid([0, 0.5, 1], down, LEFT, width - RIGHT, (tick) => decimal(tick, tick % 1 ? 1 : 0)), bars,
  periodAxis(rows.map((row) => row.period), period, middle, TOP + HEIGHT, LEFT, width - RIGHT));
  const announce = (node) => moved(node.getAttribute("aria-label"));
  rove(root, [bars], { moved: announce, chosen: announce });
  return root;
}

export function comparisonKey(first, second) {
  const words = {
    greater: say("key_below", { what: say("has_more", { actor: first }) }), equal: say("key_between", { what: say("equally_many") }),
    less: say("key_above", { what: say("has_more", { actor: second }) }),
  };
  return SIDES.map(([side, fill, opacity]) => [
    svg("svg", { width: 16, height: 12, "aria-hidden": "true" },
      svg("rect", { class: "lighter", width: 16, height: 12, fill, "fill-opacity": opacity })),
    words[side],
  ]);
}
