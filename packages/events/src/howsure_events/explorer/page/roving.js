// One tab stop for many places: arrows go from place to place, Home and End to the ends, Enter and Space choose.

// `rows` are lists of nodes; null where there is nothing.
export function rove(root, rows, { moved, chosen }) {
  const positions = new Map();
  rows.forEach((row, r) => row.forEach((node, c) => { if (node) positions.set(node, [r, c]); }));
  let current = null;

  const step = (r, c, dr, dc) => {
    for (let [y, x] = [r + dr, c + dc]; rows[y] && x >= 0 && x < rows[y].length; y += dr, x += dc) {
      if (rows[y][x]) return rows[y][x];
    }
    return null;
  };
  const last = (row) => row.findLast((node) => node) ?? null;
  const goals = {
    ArrowRight: (r, c) => step(r, c, 0, 1), ArrowLeft: (r, c) => step(r, c, 0, -1),
    ArrowDown: (r, c) => step(r, c, 1, 0), ArrowUp: (r, c) => step(r, c, -1, 0),
    Home: (r) => rows[r].find((node) => node), End: (r) => last(rows[r]),
  };
  const settle = (node) => {
    current?.setAttribute("tabindex", -1);
    current = node;
    current?.setAttribute("tabindex", 0);
  };
  const placeOf = (event) => event.target.closest?.(".place");

  settle(last(rows[0] ?? []) ?? positions.keys().next().value ?? null);
  root.addEventListener("focusin", (event) => { const node = placeOf(event); if (node) { settle(node); moved(node); } });
  root.addEventListener("pointerover", (event) => { const node = placeOf(event); if (node) moved(node); });
  root.addEventListener("click", (event) => { const node = placeOf(event); if (node) { node.focus(); chosen(node); } });
  root.addEventListener("keydown", (event) => {
    const node = placeOf(event);
    if (!node || event.ctrlKey || event.altKey || event.metaKey) return;
    const [r, c] = positions.get(node);
    if (event.key === "Enter" || event.key === " ") chosen(node);
    else if (goals[event.key]) goals[event.key](r, c)?.focus();
    else return;
    event.preventDefault();
  });
}
