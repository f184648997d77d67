/**
 * @module The incident finder shows the verdicts of the turns that an id leads to: of those
 * in the caller's scope, as they stand now; not judged is no verdict.
 */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";

import { judgeTurns, openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = JSON.stringify({
  root: { token: "root-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
});
const as = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});

interface Found {
  readonly items: readonly {
    readonly root_trace_id: string;
    readonly verdicts: readonly { readonly verdict: string | null }[] | null;
  }[];
}

let desk: Desk;

const receivedAt = (second: number): string => `2026-11-21T10:00:0${second}.000000Z`;

beforeAll(async () => {
  // The judge of this collector sleeps: the verdicts are the ones below.
  const judge = { everyMs: 86_400_000 };
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { judge });
  const turn = (root: string, user: string): ReturnType<typeof turnEvents> =>
    turnEvents({ root, user, thread: "thread-7" });
  await desk.put(turn("judged", "alice"), receivedAt(1));
  await desk.put(turn("moved", "alice"), receivedAt(1));
  await desk.put(turn("waiting", "alice"), receivedAt(1));
  await desk.put(turn("other", "bob"), receivedAt(1));
  await judgeTurns(desk.store, ["judged", "moved", "other"], {
    verdict: "partial",
    finding_codes: ["delivery_unconfirmed"],
  });
  // What is received later makes it another turn.
  const [late] = turn("moved", "alice");
  await desk.put([{ ...(late as TurnEvent), event_id: "late" }], receivedAt(5));
});
afterAll(() => desk.collector.close());

const stated = async (name: string): Promise<Record<string, readonly (string | null)[] | null>> => {
  const found = await desk.json<Found>("/traces/find.json?id=thread-7", as(name));
  return Object.fromEntries(
    found.items.map(({ root_trace_id: root, verdicts }) => [
      root,
      verdicts === null ? null : verdicts.map(({ verdict }) => verdict),
    ]),
  );
};

test("each root says its turns' verdicts, and an old one is none", async () => {
  expect(await stated("root")).toEqual({
    judged: ["partial"],
    moved: [null],
    waiting: [null],
    other: ["partial"],
  });
});

test("of the asker's own tenant alone", async () => {
  expect(await stated("alice")).toEqual({ judged: ["partial"], moved: [null], waiting: [null] });
});

test("its page says them in words", async () => {
  const answer = await desk.get("/traces/find?id=thread-7", { ...as("root"), accept: "text/html" });
  const words = (await answer.text()).replaceAll(/<[^>]+>/g, " ");
  expect(words).toMatch(/partial\s+Delivery unconfirmed/);
  expect(words).toMatch(/unjudged/);
});

test("without an id nothing is read", async () => {
  const { ledger } = desk.store;
  const reads = (
    ["turnFacets", "listTurns", "turnCounts", "countTurns", "turnFigures"] as const
  ).map((name) => vi.spyOn(ledger, name));
  reads.push(vi.spyOn(desk.store, "find") as never);
  // A collector takes the methods of its store as it opens.
  const counted = await openDesk({}, { judge: false, store: desk.store });
  const calls = (): readonly unknown[] => reads.flatMap(({ mock }) => mock.calls);
  const found = await counted.json<{ requested: boolean }>("/traces/find.json");
  expect(found.requested).toBe(false);
  await counted.get("/traces/find", { accept: "text/html" });
  expect(calls()).toEqual([]);
  await counted.get("/traces/find.json?id=judged");
  expect(calls()).not.toEqual([]);
  await counted.collector.close();
  vi.restoreAllMocks();
});
