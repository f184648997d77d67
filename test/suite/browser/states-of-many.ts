/** @module States of the pages about many turns together, of the sample, and of a missing provider. */
import type { Site } from "./browser.ts";
import type { Scene } from "./scene.ts";

/** A place of a state: a path on one of the scene's sites. */
export const on = (
  name: "site" | "empty" | "guarded" | "readOnly" | "broken" | "long",
  path: string,
): { readonly at: (scene: Scene) => { readonly on: Site; readonly path: string } } => ({
  at: (scene) => ({ on: scene[name], path }),
});

/** The states; `page-states.ts` has their form. */
export const statesOfMany = [
  ...["provider", "callback"].map((path) => ({
    view: "problem",
    name: `no identity provider, ${path}`,
    ...on("guarded", `/login/${path}`),
    says: /configured/,
  })),
  {
    view: "releases",
    name: "with data",
    ...on("site", "/traces/compare/releases?a=verdict:failed&b=verdict:success"),
    says: /What changed[\s\S]*Duration of a turn/,
  },
  {
    view: "releases",
    name: "nothing there",
    ...on("empty", "/traces/compare/releases"),
    says: /No two releases here/,
  },
  {
    view: "releases",
    name: "long words",
    ...on("long", "/traces/compare/releases?a=has:memory&b=-has:feedback"),
    says: /What changed|A side has no turn/,
  },
  {
    view: "incidents",
    name: "with data",
    ...on("site", "/traces/incidents"),
    says: /What went wrong[\s\S]*turns went wrong/,
  },
  { view: "incidents", name: "empty", ...on("empty", "/traces/incidents"), says: /No turns here/ },
  {
    view: "incidents",
    name: "nothing wrong",
    ...on(
      "site",
      "/traces/incidents?verdict=success&q=-has%3Aerror+-has%3Afinding+-has%3Afallback",
    ),
    says: /Nothing went wrong|What went wrong/,
  },
  { view: "incidents", name: "long words", ...on("long", "/traces/incidents"), says: /went wrong/ },
  {
    view: "find",
    name: "a part of a name",
    ...on("site", "/traces/find?id=brief"),
    says: /Names and ids with this text[\s\S]*briefing-writer/,
  },
  {
    view: "turn",
    name: "the sample",
    ...on("empty", "/sample"),
    says: /A sample turn of the collector[\s\S]*Verdict[\s\S]*Raw events/,
  },
  {
    view: "turn",
    name: "table of spans",
    at: (scene: Scene) => ({ on: scene.site, path: `/traces/${scene.roots[0]}?spans=duration` }),
    says: /Waterfall and table[\s\S]*Spans[\s\S]*Level/,
  },
  {
    view: "health",
    name: "over a range",
    ...on("site", "/traces/health?start_time=-30d"),
    says: /Services in this range[\s\S]*What to do[\s\S]*Counts of these times are unknown/,
  },
  { view: "graph", name: "with data", ...on("site", "/graph"), says: /Connections[\s\S]*p95/ },
  {
    view: "graph",
    name: "an agent calls another",
    ...on("site", "/graph?q=app:newsroom"),
    says: /an arrow leads to the agent that is called/,
  },
  { view: "graph", name: "empty", ...on("empty", "/graph"), says: /No agent in these turns/ },
  { view: "graph", name: "long words", ...on("long", "/graph"), says: /Connections/ },
  {
    view: "cost",
    name: "by model",
    ...on("site", "/cost"),
    says: /Priced exactly[\s\S]*genai-prices/,
  },
  { view: "cost", name: "by turn", ...on("site", "/cost?by=turn"), says: /Cost by turn/ },
  { view: "cost", name: "empty", ...on("empty", "/cost"), says: /No model call in these turns/ },
  { view: "cost", name: "long words", ...on("long", "/cost?by=agent"), says: /Cost by agent/ },
  {
    view: "gate",
    name: "with data",
    ...on("site", "/traces/compare/gate?baseline=verdict:success&candidate=verdict:failed"),
    says: /Outcome[\s\S]*Contract default/,
  },
  {
    view: "gate",
    name: "a word not understood",
    ...on("site", "/traces/compare/gate?baseline=x:y&candidate=verdict:failed"),
    says: /Nothing is compared[\s\S]*Baseline: x:y/,
  },
  {
    view: "gate",
    name: "nothing there",
    ...on("empty", "/traces/compare/gate"),
    says: /Two sides are compared/,
  },
];
