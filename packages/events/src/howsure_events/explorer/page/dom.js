// Elements made from plain values. Text is only ever text: nothing here reads HTML.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

export function byId(id) {
  return document.getElementById(id);
}

// A table: columns are {name, number: whether it is one, cell(row)}; a cell is text or an element.
export function table(caption, columns, rows) {
  const kind = (column) => (column.number ? "number" : "words");
  return element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption },
    element("table", {},
      element("caption", {}, element("span", {}, caption)),
      element("thead", {}, element("tr", {},
        columns.map((column) => element("th", { scope: "col", class: kind(column) }, column.name)))),
      element("tbody", {}, rows.map((row) => element("tr", {},
        columns.map((column) => element("td", { class: kind(column) }, column.cell(row))))))));
}

// A table that is made when it is first looked at.
export function folded(summary, make) {
  const held = element("div");
  const toggled = (event) => { if (event.target.open && !held.firstChild) held.append(make()); };
  return element("details", { ontoggle: toggled }, element("summary", {}, summary), held);
}

// A heading that focus can be sent to.
export function heading(text, level = 2) {
  return element(`h${level}`, { tabindex: -1 }, text);
}
