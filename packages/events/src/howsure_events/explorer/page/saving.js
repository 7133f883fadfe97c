// What is shown as files: the table as CSV, the figure as SVG.

import { element, svg } from "./dom.js";
import { say } from "./wording.js";

export function save(content, name, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

const MARGIN = 12;
const LINE = 18;
const FONT = "DejaVu Sans, Arial, sans-serif";

function text(x, y, words, attributes = {}) {
  return svg("text", { x, y, fill: "#1a1a1a", ...attributes }, words);
}

// Breaks words into lines that are as wide as a chart.
function linesOf(words, width, pen) {
  const lines = [""];
  for (const word of words.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (lines.at(-1) && pen.measureText(longer).width > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

// A chart with its title above and its key below, as a self-contained figure.
export function figureOf(chart, { title, entries, description }) {
  const width = chart.width.baseVal.value;
  const pen = element("canvas").getContext("2d");
  pen.font = `bold 14px ${FONT}`;
  const titled = linesOf(title, width - 2 * MARGIN, pen);
  const above = MARGIN + titled.length * LINE;
  pen.font = `12px ${FONT}`;
  let [x, y] = [MARGIN, above + chart.height.baseVal.value + LINE];
  const key = entries.map(([picture, words]) => {
    const wide = 22 + pen.measureText(words).width;
    if (x > MARGIN && x + wide > width - MARGIN) [x, y] = [MARGIN, y + LINE];
    const entry = svg("g", {}, svg("g", { transform: `translate(${x} ${y - 10})` }, [...picture.cloneNode(true).childNodes]), text(x + 22, y, words, { "font-size": 12 }));
    x += wide + 18;
    return entry;
  });
  const height = y + MARGIN;
  return bare(svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FONT },
    svg("title", {}, title), svg("desc", {}, description),
    titled.map((line, at) => text(MARGIN, LINE * (at + 1), line, { "font-size": 14, "font-weight": "bold" })),
    svg("g", { transform: `translate(0 ${above})` }, [...chart.cloneNode(true).childNodes]), key));
}

// A figure without what only a page needs: its colours are attributes, so it looks the same everywhere.
function bare(copy) {
  for (const reach of copy.querySelectorAll(".reach")) reach.remove();
  for (const node of [copy, ...copy.querySelectorAll("*")]) {
    for (const { name } of [...node.attributes]) {
      if (/^(class|role|tabindex|aria-|data-)/.test(name)) node.removeAttribute(name);
    }
  }
  return copy;
}

export function figureText(figure) {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(figure)}\n`;
}

const DOTS = 3; // of a picture, for one of the page

// A figure as a picture, on white.
export function picture(figure) {
  const [width, height] = ["width", "height"].map((name) => Number(figure.getAttribute(name)));
  return new Promise((resolve, reject) => {
    const drawn = new Image();
    drawn.onerror = () => reject(new Error(say("no_picture")));
    drawn.onload = () => {
      const canvas = element("canvas", { width: DOTS * width, height: DOTS * height });
      const pen = canvas.getContext("2d");
      pen.fillStyle = "#fff";
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(drawn, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(resolve, "image/png");
    };
    drawn.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(figureText(figure))}`;
  });
}
