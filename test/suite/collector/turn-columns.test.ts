/**
 * @module The two forms of a turn over HTTP: records and columns hold the same, and whatever was
 * made for one request is never sent to a later one that may see more, or to another tenant.
 */
import type { CausalWaterfall, TurnEvent } from "@turnproof/evidence";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { fromColumns } from "../../../collector/src/ui/display/columns.ts";
import type { Columns } from "../../../collector/src/ui/display/columns.ts";
import { waterfallOf } from "../../../collector/src/ui/display/turn-columns.ts";
import type { WaterfallColumns } from "../../../collector/src/ui/display/turn-columns.ts";
import { ModelCache } from "../../../collector/src/turns/model-cache.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

interface Model {
  readonly turns: readonly object[];
  readonly waterfall: CausalWaterfall;
  readonly verdict: object;
  readonly events: readonly TurnEvent[];
}

let desk: Desk;
const accounts = JSON.stringify({
  amara: { token: "amara-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "usr_amara" },
  boris: { token: "boris-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "usr_boris" },
});

beforeAll(async () => {
  // A judge would write verdicts between the two requests that are compared.
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { judge: false });
  await desk.put(turnEvents({ root: "shared", user: "usr_amara" }));
  await desk.put(turnEvents({ root: "shared", user: "usr_amara", agent: "other" }));
});

afterAll(() => desk.collector.close());

const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const amara = as("amara-q7KxZt4Wm9Rc2Yd8");
const boris = as("boris-q7KxZt4Wm9Rc2Yd8");

test("columns say what records say, of several turns in one root", async () => {
  const records = await desk.json<Model>("/traces/shared.json", amara);
  const written = await desk.json<{
    readonly waterfall: WaterfallColumns;
    readonly events: Columns;
    readonly window: { elapsed_ms: number };
  }>("/traces/shared.json?form=columns", amara);
  const read = {
    ...written,
    waterfall: waterfallOf(written.waterfall, written.events),
    events: fromColumns<TurnEvent>(written.events),
  };
  expect(read.waterfall.groups).toHaveLength(2);
  // Two requests have two marks.
  const timeless = (model: object): object => ({
    ...model,
    window: undefined,
    verdict: { ...(model as { verdict?: object }).verdict, as_of: undefined },
  });
  expect(timeless(read)).toEqual(timeless(records));
});

test("what arrives between two requests is in the second", async () => {
  const late = turnEvents({ root: "late", user: "usr_amara" });
  await desk.put(late.slice(0, 2));
  const before = await desk.json<Model>("/traces/late.json", amara);
  await desk.put(late.slice(2));
  const after = await desk.json<Model>("/traces/late.json", amara);
  expect([before.events.length, after.events.length]).toEqual([2, 3]);
  expect(after.waterfall.counts.nodes).toBe(3);
});

test("another tenant is told nothing of it, whatever was kept", async () => {
  await desk.json("/traces/shared.json", amara);
  expect((await desk.get("/traces/shared.json", boris)).status).toBe(404);
  await desk.put(turnEvents({ root: "shared", user: "usr_boris" }));
  const own = await desk.json<Model>("/traces/shared.json", boris);
  expect(own.events.map(({ user_id: user }) => user)).toEqual(Array(3).fill("usr_boris"));
  expect(own.waterfall.counts.nodes).toBe(3);
});

test("a form that does not exist is refused", async () => {
  const answer = await desk.get("/traces/shared.json?form=rows", amara);
  expect(answer.status).toBe(400);
});

test("two roots compared: columns say what records say, and what arrives is in the next", async () => {
  await desk.put(turnEvents({ root: "before", user: "usr_amara" }));
  const after = turnEvents({ root: "after", user: "usr_amara" });
  await desk.put(after.slice(0, 2));
  const path = "/traces/compare.json?agent_id=helper&baseline_root=before&candidate_root=after";
  interface Compared {
    readonly operations: readonly object[];
    readonly counts: object;
    readonly candidate: { readonly turns: readonly object[] };
  }
  const records = await desk.json<Compared>(path, amara);
  const columns = await desk.json<{ readonly operations: Columns; readonly counts: object }>(
    `${path}&form=columns`,
    amara,
  );
  expect(fromColumns(columns.operations)).toEqual(records.operations);
  expect(columns.counts).toEqual(records.counts);
  expect(records.counts).toMatchObject({ matched: 2, removed: 1 });
  await desk.put(after.slice(2));
  const later = await desk.json<Compared>(path, amara);
  expect(later.counts).toMatchObject({ matched: 3, removed: 0 });
  expect(later.candidate.turns).toHaveLength(1);
  expect((await desk.get(path, boris)).status).toBe(404);
});

test("a comparison that is requested again is computed once, until something arrives", async () => {
  const spy = vi.spyOn(ModelCache.prototype, "of");
  // What is computed is a new object; what was computed before is the same one.
  const made = (): number => new Set(spy.mock.results.map(({ value }) => value as unknown)).size;
  await desk.put(turnEvents({ root: "first", user: "usr_amara" }));
  const second = turnEvents({ root: "second", user: "usr_amara" });
  await desk.put(second.slice(0, 2));
  const path = "/traces/compare.json?agent_id=helper&baseline_root=first&candidate_root=second";
  for (const _ of [1, 2, 3]) await desk.json(path, amara);
  expect(made()).toBe(1);
  await desk.put(second.slice(2));
  await desk.json(path, amara);
  expect(made()).toBe(2);
  spy.mockRestore();
});
