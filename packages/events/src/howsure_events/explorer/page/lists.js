// The sections that open one from another: documents of a point, a document, doubtful documents.

import { element } from "./dom.js";
import { say } from "./wording.js";
import { withCorrections } from "./corrections.js";
import { doubtfulListing, pointListing } from "./listing.js";
import { clusteringText, readingOf } from "./reading.js";

function closer(page, id, changes) {
  return element("p", {}, element("button", { type: "button", id, onclick: () => page.go(changes) }, say("close")));
}

export async function drawPoint({ counts, period, unit, level, ...asked }, page) {
  const documents = await page.source.point(asked);
  const corrected = counts === "corrected" ? await page.source.corrected({ period, unit, level }) : {};
  const periods = corrected.series?.[asked.actor] ? withCorrections(await page.source.series({ actors: [asked.actor], period, unit, level, interval: "exact" }), corrected) : {};
  return [pointListing(documents, {
    title: page.titles[asked.actor], period: asked.at, unit, level, row: periods[asked.actor]?.find((row) => row.period === asked.at),
    open: (number) => page.go({ document: number, sample: "best" }, "document"),
  }), closer(page, "close-point", { point: null })];
}

export async function drawDocument(asked, page) {
  const view = await page.source.document(asked);
  const held = view.held ?? view.samples;
  page.announce(clusteringText(view));
  return [readingOf(view, {
    titles: page.titles,
    another: () => page.go({ sample: asked.sample === "best" ? 0 : (asked.sample + 1) % held }),
    best: () => page.go({ sample: "best" }),
  }), closer(page, "close-document", { document: null })];
}

export async function drawDoubtful(asked, page) {
  const documents = await page.source.doubtful(asked);
  const choose = element("select", { id: "doubtful-actor", onchange: (event) => page.go({ doubtful: event.target.value }) },
    element("option", { value: "" }, say("all_actors")),
    page.overview.actors.map((actor) => element("option", { value: actor.code, selected: actor.code === asked.actor }, actor.title)));
  const listing = doubtfulListing(documents, {
    imported: page.overview.imported,
    whose: asked.actor === undefined ? say("all_actors") : page.titles[asked.actor],
    open: (number) => page.go({ document: number, sample: "best" }, "document"),
  });
  return [listing[0], element("p", {}, element("label", {}, say("of_actor"), " ", choose)), listing.slice(1), closer(page, "close-doubtful", { doubtful: null })];
}
