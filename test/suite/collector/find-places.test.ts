/**
 * Where the finder looked: page, twin and command show in words which places were searched, which
 * were not and why, and what to do about it. Rows of memory belong to a tenant, so without one they
 * are not searched, and that is never silence.
 */
import { spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import type { Server } from "node:http";
import { fileURLToPath } from "node:url";

import { serve } from "@hono/node-server";
import { Conversation, ToolLog } from "@turnproof/memory";
import { CodedError } from "@turnproof/semconv";
import { ephemeral, ephemeralMemory } from "@turnproof/store";
import type { MemoryStore } from "@turnproof/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const token = (name: string): string => `${name}-q7KxZt4Wm9Rc2Yd8`;
const accounts = JSON.stringify({
  root: { token: token("root"), role: "viewer" },
  alice: { token: token("alice"), role: "viewer", user_id: "alice" },
  shop: { token: token("shop"), role: "viewer", application_id: "desk" },
});
const as = (name: string): Record<string, string> => ({ authorization: `Bearer ${token(name)}` });
const env = { TURNPROOF_UI_ACCOUNTS: accounts };

interface Found {
  readonly items: readonly { readonly matched_by: readonly string[] }[];
  readonly event_count: number;
  readonly next_cursor: string | null;
  readonly window_complete: boolean;
  readonly places: readonly { readonly place: string; reach: string; readonly message: string }[];
}

let desk: Desk;

/** Two messages and a logged call of a turn of which the evidence knows nothing. */
async function fill(memory: MemoryStore): Promise<void> {
  for (const userId of ["alice", null]) {
    const place = { userId, agentId: "helper", memoryId: "m-1", threadId: `kept-${userId}` };
    const turnId = `turn-of-memory-${userId}`;
    await new Conversation(memory).append(place, [
      { role: "user", text: "hello", turnId },
      { role: "assistant", text: "good day", turnId },
    ]);
    await new ToolLog(memory).record(place, {
      turnId,
      callId: `call-of-memory-${userId}`,
      toolName: "search",
      input: {},
      result: "none",
      outcome: "success",
      durationMs: 12,
    });
  }
}

beforeAll(async () => {
  const memory = ephemeralMemory();
  desk = await openDesk(env, { memory, store: ephemeral() });
  await desk.put(turnEvents({ root: "root-alice", user: "alice", thread: "kept-alice" }));
  await fill(memory);
});
afterAll(() => desk.collector.close());

const find = (query: string, name = "root", on = desk): Promise<Found> =>
  on.json<Found>(`/traces/find.json?${query}`, as(name));
const reachesOf = ({ places }: Found): Record<string, string> =>
  Object.fromEntries(places.map(({ place, reach }) => [place, reach]));
const everywhere = { evidence: "whole", conversation: "whole", tool_log: "whole" };
const rowsAre = (reach: string): object => ({ conversation: reach, tool_log: reach });

describe("without a tenant", () => {
  test("what only memory names is not found, and it is said that memory was not searched", async () => {
    const found = await find("id=turn-of-memory-alice");
    expect(found).toMatchObject({ items: [], window_complete: false });
    expect(reachesOf(found)).toEqual({ evidence: "whole", ...rowsAre("tenant_not_named") });
    expect(found.places.map(({ message: says }) => says)).toEqual([
      "Evidence: searched.",
      expect.stringMatching(/^Messages in memory: not searched\. .*Give the tenant/),
      expect.stringMatching(/^Tool log in memory: not searched\. .*Give the tenant/),
    ]);
  });

  test("what evidence names is found, and the rest is still open", async () => {
    const found = await find("id=kept-alice");
    expect(found).toMatchObject({ event_count: 3, window_complete: false });
    expect(reachesOf(found)).toMatchObject(rowsAre("tenant_not_named"));
  });

  test("the page says the same and leads on", async () => {
    const headers = { ...as("root"), accept: "text/html" };
    const html = await (await desk.get("/traces/find?id=alice&agent_id=helper", headers)).text();
    expect(html).toContain("All evidence searched, memory not");
    expect(html).toContain("Give the tenant");
    expect(html).toContain('href="/traces/find?id=alice&amp;agent_id=helper&amp;user_id=alice"');
    expect(html).toContain('href="/traces/find?id=alice&amp;agent_id=helper&amp;scope=anonymous"');
    const nothing = await (await desk.get("/traces/find?id=none", headers)).text();
    expect(nothing).toContain("Not everything that you may read was searched");
  });
});

describe("with a tenant", () => {
  test.each([
    ["user_id=alice", "alice", "root"],
    ["scope=anonymous", "null", "root"],
    ["", "alice", "alice"],
  ])("%s of %s, asked by %s", async (query, tenant, name) => {
    const found = await find(`id=turn-of-memory-${tenant}&${query}`, name);
    expect(reachesOf(found)).toEqual(everywhere);
    expect(found).toMatchObject({ event_count: 3, window_complete: true });
  });

  test("page by page every place is told once, and what it was left at", async () => {
    const seen: Record<string, string>[] = [];
    let [cursor, events] = ["", 0];
    do {
      const after = cursor === "" ? "" : `&cursor=${cursor}`;
      const page = await find(`id=kept-alice&user_id=alice&limit=2${after}`);
      seen.push(reachesOf(page));
      expect(page.window_complete).toBe(false);
      events += page.event_count;
      cursor = page.next_cursor ?? "";
    } while (cursor !== "" && seen.length < 9);
    expect(events).toBe(6);
    expect(seen).toEqual([
      { evidence: "goes_on", conversation: "not_yet", tool_log: "not_yet" },
      { evidence: "whole", conversation: "goes_on", tool_log: "not_yet" },
      { evidence: "earlier", conversation: "whole", tool_log: "whole" },
    ]);
  });
});

test("who is bound to an application may read no rows: nothing was left out", async () => {
  const found = await find("id=kept-alice", "shop");
  expect(reachesOf(found)).toMatchObject(rowsAre("application_bound"));
  expect(found).toMatchObject({ event_count: 3, window_complete: true });
});

test("a collector without memory says that there is none, and is complete", async () => {
  const bare = await openDesk({ ...env, TURNPROOF_MEMORY_BACKEND: "none" }, { store: ephemeral() });
  const found = await find("id=x&user_id=alice", "root", bare);
  expect(reachesOf(found)).toEqual({ evidence: "whole", ...rowsAre("no_memory") });
  expect(found.window_complete).toBe(true);
  await bare.collector.close();
});

test("a memory that does not answer was not searched", async () => {
  const kept = ephemeralMemory();
  await fill(kept);
  const memory: MemoryStore = {
    ...kept,
    list: async (filter, kind, options) => {
      if (kind === "conversation") throw new CodedError("store_unavailable");
      return kept.list(filter, kind, options);
    },
  };
  const one = await openDesk(env, { memory, store: ephemeral() });
  const found = await find("id=turn-of-memory-alice&user_id=alice", "root", one);
  expect(reachesOf(found)).toEqual({ ...everywhere, conversation: "no_answer" });
  expect(found).toMatchObject({ event_count: 1, window_complete: false });
  await one.collector.close();
});

describe("on the command line", () => {
  let server: Server;
  beforeAll(async () => {
    server = serve({ fetch: desk.collector.app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
    if (!server.listening) await once(server, "listening");
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test("the same words, and with the tenant the rows", async () => {
    const without = await turnproof(["turn-of-memory-alice"]);
    expect(without.err).toMatch(/Evidence: searched\.\n.*not searched.*Give the tenant/);
    expect(without.code).toBe(1);
    const open = JSON.parse((await turnproof(["turn-of-memory-alice", "--json"])).out) as Found;
    expect(open).toMatchObject({ complete: false, items: [] });
    const call = ["turn-of-memory-alice", "--user", "alice", "--json", "--limit", "1"];
    const { code, out } = await turnproof(call);
    const found = JSON.parse(out) as Found;
    expect([code, reachesOf(found)]).toEqual([0, everywhere]);
    expect(found).toMatchObject({ complete: true, pending_frames: 0 });
    const nobody = await turnproof(["turn-of-memory-null", "--anonymous", "--json"]);
    expect([nobody.code, reachesOf(JSON.parse(nobody.out) as Found)]).toEqual([0, everywhere]);
  });

  async function turnproof(args: readonly string[]): Promise<{
    readonly code: number | null;
    readonly out: string;
    readonly err: string;
  }> {
    const bin = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const child = spawn(process.execPath, [bin, "find", ...args, "--url", url], {
      env: { PATH: process.env["PATH"] ?? "", TURNPROOF_TOKEN: token("root") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    const [code] = (await once(child, "close")) as [number | null];
    return { code, out, err };
  }
});
