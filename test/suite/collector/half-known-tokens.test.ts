/**
 * A turn with one of its token counts: it is in the figures of that one, and unknown in the others.
 * The trend, two compared releases and the tools for agents agree on it.
 */
import { afterAll, beforeAll, expect, test } from "vitest";

import type { Listening } from "../../../collector/src/http/connections.ts";
import type { ReleasesModel } from "../../../collector/src/pages/releases/route.ts";
import type { TrendModel } from "../../../collector/src/turns/counted-trend.ts";
import { listen } from "../../../collector/src/server.ts";
import { openDesk, quiet, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { call, connect } from "./mcp-client.ts";

const token = "root-q7KxZt4Wm9Rc2Yd8";
const headers = { authorization: `Bearer ${token}` };

/** The counts of each turn of a release. */
const counts: Readonly<Record<string, readonly object[]>> = {
  "9.0": [
    { input_tokens: 0, output_tokens: 2 },
    { input_tokens: 0, output_tokens: 4, cached_tokens: 0 },
    { input_tokens: 6 },
    {},
  ],
  "9.1": [
    { input_tokens: 10, output_tokens: 2, cached_tokens: 5 },
    { input_tokens: 10, output_tokens: 4, cached_tokens: 0 },
  ],
};

let desk: Desk;
let server: Listening;
beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_AUTH_TOKEN: token }, { judge: false });
  const events = Object.entries(counts).flatMap(([release, turns], day) =>
    turns.flatMap((tokens, n) => {
      const at = new Date(Date.UTC(2026, 10, 20 + day, n)).toISOString();
      return turnEvents({ root: `root-${release}-${n}`, at }).map((event) => {
        if (event.event_kind === "turn") {
          return { ...event, attributes: { service_version: release } };
        }
        return event.event_kind === "model_call"
          ? { ...event, attributes: { model: "small-1", ...tokens } }
          : event;
      });
    }),
  );
  await desk.put(events);
  server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
});
afterAll(async () => {
  await server.close(1_000);
  await desk.collector.close();
});

test("each mean of two releases is over the turns that have the count, and states the others", async () => {
  const path = "/traces/compare/releases.json?a=release:9.0&b=release:9.1";
  const { compared } = await desk.json<ReleasesModel>(path, headers);
  const rows = compared?.groups.find(({ name }) => name === "Tokens and cost of a turn")?.rows;
  const side = (name: string, of: "a" | "b"): object | undefined =>
    rows?.find((row) => row.name === name)?.[of];
  expect(side("input tokens", "a")).toMatchObject({ value: 2, of: 3, unknown: 1 });
  expect(side("output tokens", "a")).toMatchObject({ value: 3, of: 2, unknown: 2 });
  expect(side("output tokens", "b")).toMatchObject({ value: 3, of: 2, unknown: 0 });
  expect(side("input tokens from a cache", "a")).toMatchObject({ unknown: 3 });
  expect(side("input tokens from a cache", "b")).toMatchObject({ value: 0.25, unknown: 0 });
});

test("a sum of tokens with a part that is unknown is a lower bound", async () => {
  const { releases } = await desk.json<TrendModel>("/traces/trend.json", headers);
  expect(releases).toMatchObject([
    { release: "9.0", tokens: 12, tokens_turns: 3, tokens_partial: true },
    { release: "9.1", tokens: 26, tokens_turns: 2, tokens_partial: false },
  ]);
  const page = await (await desk.get("/agents/helper", headers)).text();
  expect(page).toContain(
    'title="At least: some calls have not all of their counts. 1 turn reported none.">≥ 4<',
  );
});

test("an agent's sums are a lower bound where a turn has one count", async () => {
  const half = await desk.json<object>("/agents.json", headers);
  expect(half).toMatchObject({ items: [{ usage_state: "partial" }] });
});

test("the tool for agents states lower bounds and turns without counts", async () => {
  const client = await connect(server.url, token);
  const { text } = await call(client, "compare_two_releases", {});
  const half = await call(client, "why_did_this_turn_fail", { id: "root-9.0-2" });
  await client.close();
  expect(half.text).toContain(", at least 6 tokens, ");
  expect(text).toMatch(/^baseline 9\.0: .*; tokens per turn at least 4 \(1 turn reported none\);/m);
  expect(text).toMatch(/^candidate 9\.1: .*; tokens per turn 13;/m);
});
