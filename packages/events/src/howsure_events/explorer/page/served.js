// The data of a served page: each question is asked of the server that the page came from.

import { answered, hideToken, queryOf } from "./requests.js";

export function servedSource() {
  hideToken();
  const answer = (question, parameters) => answered(`/api/${question}?${queryOf(parameters)}`);
  const ask = async (question, parameters = {}) => (await answer(question, parameters)).json();
  return {
    overview: () => ask("overview"),
    series: (asked) => ask("series", asked),
    point: (asked) => ask("point", asked),
    document: (asked) => ask("document", asked),
    compare: (asked) => ask("compare", asked),
    corrected: (asked) => ask("corrected", asked),
    correctedPair: (asked) => ask("corrected-pair", asked),
    doubtful: (asked) => ask("doubtful", asked),
    csv: async (asked) => (await answer("export.csv", asked)).text(),
  };
}
