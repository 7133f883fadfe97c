// What is shown as files: the table as CSV, the figure as SVG.

import { element } from "./dom.js";

export function save(text, name, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// A figure without what only a page needs: its colours are attributes, so it looks the same everywhere.
export function figureText(chart, title, description) {
  const copy = chart.cloneNode(true);
  for (const reach of copy.querySelectorAll(".reach")) reach.remove();
  for (const node of [copy, ...copy.querySelectorAll("*")]) {
    for (const { name } of [...node.attributes]) {
      if (/^(class|role|tabindex|aria-|data-)/.test(name)) node.removeAttribute(name);
    }
  }
  copy.setAttribute("font-family", "DejaVu Sans, Arial, sans-serif");
  const words = (tag, text) => {
    const node = document.createElementNS(copy.namespaceURI, tag);
    node.textContent = text;
    return node;
  };
  copy.prepend(words("title", title), words("desc", description));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}
