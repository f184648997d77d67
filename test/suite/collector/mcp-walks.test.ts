/**
 * The tools with a cursor: a walk through 120 failed turns shows each one once, for any size of a
 * page and any budget, because a cursor starts after the last row that was shown.
 */
import type { Client } from "@modelcontextprotocol/client";
import { ephemeral } from "@turnproof/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Listening } from "../../../collector/src/http/connections.ts";
import { tokensAtMost } from "../../../collector/src/mcp/answer-text.ts";
import { tools } from "../../../collector/src/mcp/mcp-server.ts";
import { listen } from "../../../collector/src/server.ts";
import { judgeTurns, openDesk, quiet, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { call, connect } from "./mcp-client.ts";

const token = "root-q7KxZt4Wm9Rc2Yd8";
const count = 120;
const roots = Array.from({ length: count }, (_, at) => `root-${String(at).padStart(3, "0")}`);

let desk: Desk;
let server: Listening;
let client: Client;
beforeAll(async () => {
  const env = { TURNPROOF_UI_AUTH_TOKEN: token };
  desk = await openDesk(env, { store: ephemeral(), judge: false });
  for (const [at, root] of roots.entries()) {
    const minute = String(at % 60).padStart(2, "0");
    await desk.put(
      turnEvents({
        root,
        // A page of a list is read again, smaller, where a long name takes the room of several
        // rows.
        agent: at % 7 === 0 ? `agent-${"x.".repeat(60)}` : "helper",
        at: `2026-11-2${Math.floor(at / 60)}T09:${minute}:00.000Z`,
      }),
    );
  }
  const found = { verdict: "failed", finding_codes: ["tool_failed", "delivery_missing"] };
  await judgeTurns(desk.store, roots, found);
  server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  client = await connect(server.url, token);
});
afterAll(async () => {
  await client.close();
  await server.close(1_000);
  await desk.collector.close();
});

/** Texts of the pages of a walk. */
async function walk(tool: string, input: Record<string, unknown>): Promise<readonly string[]> {
  const pages: string[] = [];
  for (let cursor: string | undefined; ;) {
    const { text, refused } = await call(client, tool, {
      ...input,
      ...(cursor === undefined ? {} : { cursor }),
    });
    expect([refused, text]).toEqual([false, expect.any(String)]);
    pages.push(text);
    cursor = /^cursor: (\S+)$/m.exec(text)?.[1];
    if (cursor === undefined) return pages;
    expect(pages.length).toBeLessThanOrEqual(count * 3);
  }
}

const rootsOf = (text: string): readonly string[] =>
  [...text.matchAll(/\broot (\S+) agent/g)].map(([, root = ""]) => root);

/** The smallest budget that a tool takes. */
function leastBudget(name: string): number {
  const schema = tools.find((one) => one.name === name)?.input;
  for (let budget = 1; ; budget++)
    if (schema?.shape["budget"]?.safeParse(budget).success) return budget;
}

describe("what failed since", () => {
  const least = leastBudget("what_failed_since");

  test.each([
    [50, undefined],
    [10, undefined],
    [50, least],
    [7, least],
    [50, 2_000],
    [1, 8_000],
  ])("shows each of 120 turns once: limit %s, budget %s", async (limit, budget) => {
    const pages = await walk("what_failed_since", {
      since: "2026-11-01",
      limit,
      ...(budget === undefined ? {} : { budget }),
    });
    expect(pages.flatMap(rootsOf).toSorted()).toEqual(roots);
    for (const text of pages) {
      expect(tokensAtMost(text)).toBeLessThanOrEqual(budget ?? 1_200);
    }
  });

  test("the smallest budget holds the count, a turn and the cursor", async () => {
    const input = { since: "2026-11-01", limit: 50, budget: least };
    const { text } = await call(client, "what_failed_since", input);
    expect(text).toMatch(/^120 turns since 2026-11-01$/m);
    expect(rootsOf(text).length).toBeGreaterThanOrEqual(1);
    expect(text).toMatch(/^cursor: \S+$/m);
  });
});

describe("find by id", () => {
  const least = leastBudget("find_by_id");

  test.each([
    [100, undefined],
    [200, least],
    [4, least],
    [1, 8_000],
  ])("shows each of 360 events once: limit %s, budget %s", async (limit, budget) => {
    const input = { id: "thread-1", limit, ...(budget === undefined ? {} : { budget }) };
    const pages = await walk("find_by_id", input);
    expect([...new Set(pages.flatMap(rootsOf))].toSorted()).toEqual(roots);
    const events = pages.flatMap((text) =>
      [...text.matchAll(/, (\d+) events?\b/g)].map(([, number]) => Number(number)),
    );
    expect(events.reduce((sum, one) => sum + one, 0)).toBe(count * 3);
    for (const text of pages) {
      expect(tokensAtMost(text)).toBeLessThanOrEqual(budget ?? 1_200);
    }
  });
});

test("every tool with a cursor is walked here", () => {
  const walked = tools.filter(({ input }) => "cursor" in input.shape).map(({ name }) => name);
  expect(walked.toSorted()).toEqual(["find_by_id", "what_failed_since"]);
});
