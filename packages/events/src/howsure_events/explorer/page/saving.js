// What is shown as files: the table as CSV, the figure as SVG.

import { element } from "./dom.js";

export function save(content, name, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
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

const DOTS = 3; // of a picture, for one of the page

// A figure as a picture, on white.
export function picture(text, width, height) {
  return new Promise((resolve, reject) => {
    const drawn = new Image();
    drawn.onerror = () => reject(new Error("This browser cannot draw the figure as a picture; save it as SVG."));
    drawn.onload = () => {
      const canvas = element("canvas", { width: DOTS * width, height: DOTS * height });
      const pen = canvas.getContext("2d");
      pen.fillStyle = "#fff";
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(drawn, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(resolve, "image/png");
    };
    drawn.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
}
