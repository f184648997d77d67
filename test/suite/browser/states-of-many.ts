/**
 * @module States of the pages about many turns together, of alerts, of the sample, of a missing
 * provider, and of the interface.
 */
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
    text: /configured/,
  })),
  {
    view: "releases",
    name: "with data",
    ...on("site", "/traces/compare/releases?a=verdict:failed&b=verdict:success"),
    text: /What changed[\s\S]*Duration of a turn/,
  },
  {
    view: "releases",
    name: "nothing there",
    ...on("empty", "/traces/compare/releases"),
    text: /No two releases here/,
  },
  {
    view: "releases",
    name: "long words",
    ...on("long", "/traces/compare/releases?a=has:memory&b=-has:feedback"),
    text: /What changed|A side has no turn/,
  },
  {
    view: "incidents",
    name: "with data",
    ...on("site", "/traces/incidents"),
    text: /What went wrong[\s\S]*turns went wrong/,
  },
  { view: "incidents", name: "empty", ...on("empty", "/traces/incidents"), text: /No turns here/ },
  {
    view: "incidents",
    name: "nothing wrong",
    ...on(
      "site",
      "/traces/incidents?verdict=success&q=-has%3Aerror+-has%3Afinding+-has%3Afallback",
    ),
    text: /Nothing went wrong|What went wrong/,
  },
  { view: "incidents", name: "long words", ...on("long", "/traces/incidents"), text: /went wrong/ },
  {
    view: "find",
    name: "a part of a name",
    ...on("site", "/traces/find?id=brief"),
    text: /Names and ids with this text[\s\S]*briefing-writer/,
  },
  {
    view: "turn",
    name: "the sample",
    ...on("empty", "/sample"),
    text: /A sample turn of the collector[\s\S]*Verdict[\s\S]*Raw events/,
  },
  {
    view: "turn",
    name: "table of spans",
    at: (scene: Scene) => ({ on: scene.site, path: `/traces/${scene.roots[0]}?spans=duration` }),
    text: /Waterfall and table[\s\S]*Spans[\s\S]*Level/,
  },
  {
    view: "health",
    name: "over a range",
    ...on("site", "/traces/health?start_time=-30d"),
    text: /Services in this range[\s\S]*numbers events and reports[\s\S]*Counts of these times are unknown/,
  },
  { view: "graph", name: "with data", ...on("site", "/graph"), text: /p95[\s\S]*Connections/ },
  {
    view: "graph",
    name: "an agent calls another",
    ...on("site", "/graph?q=app:newsroom"),
    text: /an arrow leads to the agent that is called/,
  },
  { view: "graph", name: "empty", ...on("empty", "/graph"), text: /No agent in these turns/ },
  { view: "graph", name: "long words", ...on("long", "/graph"), text: /Connections/ },
  {
    view: "cost",
    name: "by model",
    ...on("site", "/cost"),
    text: /Priced exactly[\s\S]*genai-prices/,
  },
  { view: "cost", name: "by turn", ...on("site", "/cost?by=turn"), text: /Cost by turn/ },
  { view: "cost", name: "empty", ...on("empty", "/cost"), text: /No model call in these turns/ },
  { view: "cost", name: "long words", ...on("long", "/cost?by=agent"), text: /Cost by agent/ },
  { view: "alerts", name: "firing", ...on("site", "/alerts"), text: /Firing[\s\S]*Rules/ },
  {
    view: "alerts",
    name: "a rule on past data",
    ...on("site", "/alerts?rule=not-successful"),
    text: /it would have fired/,
  },
  {
    view: "alerts",
    name: "a draft that is not valid",
    ...on("site", "/alerts?draft=name%3A%20x"),
    text: /The rule is not valid/,
  },
  { view: "alerts", name: "no rules", ...on("empty", "/alerts"), text: /No rules/ },
  { view: "alerts", name: "read-only", ...on("readOnly", "/alerts"), text: /read-only mode/ },
  {
    view: "alerts",
    name: "store away",
    ...on("broken", "/alerts?rule=not-successful"),
    text: /The store cannot be used now[\s\S]*Unknown whether an alert fires/,
  },
  {
    view: "gate",
    name: "with data",
    ...on("site", "/traces/compare/gate?baseline=verdict:success&candidate=verdict:failed"),
    text: /Outcome[\s\S]*Contract default/,
  },
  {
    view: "gate",
    name: "a word not understood",
    ...on("site", "/traces/compare/gate?baseline=x:y&candidate=verdict:failed"),
    text: /Nothing is compared[\s\S]*Baseline: x:y/,
  },
  {
    view: "gate",
    name: "store away",
    ...on("broken", "/traces/compare/gate?baseline=release:1&candidate=release:2"),
    text: /The store cannot be used now/,
  },
  {
    view: "gate",
    name: "nothing there",
    ...on("empty", "/traces/compare/gate"),
    text: /Two sides are compared/,
  },
  { view: "docs", name: "interface", ...on("site", "/docs"), text: /\/traces\/events\.json/ },
  {
    view: "docs",
    name: "one operation",
    ...on("site", "/docs?operation=listEvents"),
    text: /Parameters[\s\S]*Answers/,
  },
  {
    view: "docs",
    name: "operation not understood",
    ...on("site", "/docs?operation=wrong"),
    text: /is no valid value[\s\S]*\/traces\/events\.json/,
  },
];
