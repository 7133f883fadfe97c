// The data of a served page: each question is asked of the server that the page came from.

async function answer(question, parameters) {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) asked.append(name, one);
  }
  let response;
  try {
    response = await fetch(`/api/${question}?${asked}`, { credentials: "same-origin", redirect: "error" });
  } catch {
    throw new Error("The server does not answer. Was howsure events explore stopped? Start it again.");
  }
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  throw new Error(said.error ?? `The server answered with ${response.status}.`);
}

export function servedSource() {
  if (location.search) history.replaceState(null, "", location.pathname + location.hash); // the token is in a cookie now
  const ask = async (question, parameters = {}) => (await answer(question, parameters)).json();
  return {
    overview: () => ask("overview"),
    series: (asked) => ask("series", asked),
    point: (asked) => ask("point", asked),
    document: (asked) => ask("document", asked),
    compare: (asked) => ask("compare", asked),
    doubtful: (asked) => ask("doubtful", asked),
    csv: async (asked) => (await answer("export.csv", asked)).text(),
  };
}
