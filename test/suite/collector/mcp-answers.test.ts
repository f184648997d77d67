/**
 * What the tools for agents read, and what they answer where a read fails: by requests that are
 * recorded, and by a store that is away.
 */
import type { Client } from "@modelcontextprotocol/client";
import { ephemeral } from "@turnproof/store";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { Listening } from "../../../collector/src/http/connections.ts";
import { findById } from "../../../collector/src/mcp/find-by-id.ts";
import { tokensAtMost } from "../../../collector/src/mcp/answer-text.ts";
import { lostTelemetry } from "../../../collector/src/mcp/lost-telemetry.ts";
import { Refused } from "../../../collector/src/mcp/requester.ts";
import type { Requester } from "../../../collector/src/mcp/requester.ts";
import { whyFailed } from "../../../collector/src/mcp/why-failed.ts";
import type { HealthModel } from "../../../collector/src/pages/health/route.ts";
import { listen } from "../../../collector/src/server.ts";
import { awayStore } from "./away-store.ts";
import { judgeTurns, openDesk, quiet, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { call, connect } from "./mcp-client.ts";

const token = "root-q7KxZt4Wm9Rc2Yd8";
const headers = { authorization: `Bearer ${token}` };
const { store, put } = awayStore(ephemeral());
let desk: Desk;
let server: Listening;
let client: Client;
beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_AUTH_TOKEN: token }, { store, judge: false });
  server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  for (const [n, root] of ["root-1", "root-2", "root-3"].entries()) {
    await desk.put(turnEvents({ root, user: "alice" }), `2026-03-01T10:00:0${n}.000000Z`);
  }
  await judgeTurns(desk.store, ["root-2"], { verdict: "failed", finding_codes: ["x"] });
  client = await connect(server.url, token);
});
afterAll(async () => {
  await client.close();
  await server.close(1_000);
  await desk.collector.close();
});

/** A requester that records its paths. */
function recorded(): { readonly request: Requester; readonly paths: string[] } {
  const paths: string[] = [];
  const request: Requester = {
    link: (path) => path,
    pricing: () => Promise.reject(new Error("no price is read")),
    json: async <T>(path: string, parameters: object = {}): Promise<T> => {
      paths.push(path);
      const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
      const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
      const response = await desk.get(`${path}?${query.toString()}`, headers);
      const body = (await response.json()) as T & { readonly code?: string };
      if (!response.ok) throw new Refused(body.code ?? "", "");
      return body;
    },
  };
  return { request, paths };
}

const why = async (id: string): Promise<readonly [text: string, paths: readonly string[]]> => {
  const { request, paths } = recorded();
  const text = await whyFailed.answer(request, { id } as never, 1_200);
  return [text.within(1_200), paths];
};

test("why: the ledger answers for ids of turns, and the evidence is searched for others", async () => {
  const path = "/traces/turns.json?limit=10";
  const { items } = await desk.json<{ items: Record<string, string>[] }>(path, headers);
  const one = items.find((row) => row["root_trace_id"] === "root-2") ?? {};
  for (const field of ["thread_id", "turn_id"]) {
    const [text, paths] = await why(one[field] ?? "");
    expect(text).toContain(`found by ${field}`);
    // Of several roots the one that failed.
    expect(text).toContain("root root-2,");
    expect(new Set(paths)).toEqual(new Set(["/traces/turns.json", "/traces/root-2.json"]));
  }
  const [byRoot] = await why("root-1");
  expect(byRoot).toMatch(/^root root-1,/m);
  expect(byRoot).not.toContain("found by");
  const [unknown, paths] = await why("never-seen");
  expect(unknown).toBe("Nothing in your scope mentions never-seen.");
  expect(paths.at(-1)).toBe("/traces/find.json");
  expect((await why(`"quoted\\ ${"x".repeat(200)}`))[0]).toMatch(/^Nothing in your scope/);
});

test("why: of a root with many agents, the error and ids of turns fit into a small budget", async () => {
  const root = "root-agents";
  const workers = Array.from({ length: 6 }, (_, n) => `worker-${n}`);
  const events = workers.flatMap((agent) =>
    turnEvents({ root: `${root}-${agent}`, agent }).map((event) => ({
      ...event,
      root_trace_id: root,
      ...(event.event_kind === "tool_call"
        ? {
            status: "error" as const,
            attributes: {
              tool_name: "fetch_page",
              tool_outcome: "error" as const,
              error_type: "TimeoutError",
            },
          }
        : {}),
    })),
  );
  await desk.put(events, "2026-11-21T10:00:00.000000Z");
  const { request } = recorded();
  const text = (await whyFailed.answer(request, { id: root } as never, 600)).within(600);
  const errors = text.split("\n").filter((line) => line.startsWith("error: "));
  expect(errors).toEqual([expect.stringMatching(/fetch_page.*TimeoutError, 6 times \[evidence /)]);
  const turns = text.split("\n").find((line) => line.startsWith("6 turns, 6 with errors: "));
  expect(turns).toMatch(/ give turn_id for the verdict on one, as .*root-agents-worker-0-turn/);
  expect(tokensAtMost(text)).toBeLessThanOrEqual(600);
});

test("lost telemetry: accounts of a part of the events are no account of all", async () => {
  const answer = async (complete: boolean): Promise<string> => {
    const { request } = recorded();
    const of: Requester = {
      ...request,
      json: async <T>(path: string, parameters?: object): Promise<T> => {
        const model = await request.json<HealthModel>(path, parameters as never);
        const producers = [{ state: "none" }] as unknown as HealthModel["producers"];
        return { ...model, producers, window: { ...model.window, complete } } as T;
      },
    };
    return (await lostTelemetry.answer(of, {} as never, 1_200)).within(1_200);
  };
  expect(await answer(true)).toMatch(/^no: every one of 1 producers/);
  expect(await answer(false)).toMatch(/^not known: .* not all events were read/);
});

test("find without names leaves them out, and finds the same roots", async () => {
  const find = (more: string): Promise<{ items: unknown; named: readonly unknown[] }> =>
    desk.json(`/traces/find.json?id=root-1${more}`, headers);
  const [all, bare] = [await find(""), await find("&names=none")];
  expect(bare.items).toEqual(all.items);
  expect(bare.named).toEqual([]);
});

test("lost telemetry: a read that failed is no empty scope", async () => {
  put("away");
  const { text } = await call(client, "is_telemetry_being_lost", {});
  put("there");
  expect(text).toMatch(/^not known: the evidence could not be read \(trace,/);
  expect(text).toContain("could not be read: trace");
  expect(text).not.toMatch(/no producer is in this scope|newest 0 events/);
  const again = await call(client, "is_telemetry_being_lost", {});
  expect(again.text).not.toContain("could not be read");
});

test("a refused parameter is named as the tool names it, with what it takes", async () => {
  const failed = await call(client, "what_failed_since", { since: "yesterday" });
  expect(failed).toMatchObject({ refused: true });
  expect(failed.text).toMatch(/^parameter_invalid: .* Parameter since: .*ISO 8601, or `-24h`/);
  const until = await call(client, "what_failed_since", { since: "-24h", until: "tomorrow" });
  expect(until.text).toMatch(/ Parameter until: .*ISO 8601/);
  const slow = await call(client, "which_tool_or_model_got_slow_or_costly", { until: "tomorrow" });
  expect(slow.text).toMatch(/ Parameter until: .*ISO 8601/);
});

test("find_by_id requests no parameter that it does not have", async () => {
  const found = await desk.json<object>("/traces/find.json?id=root-1", headers);
  const places = [{ place: "tool_log", reach: "tenant_not_named", message: "Give the tenant." }];
  const request: Requester = {
    ...recorded().request,
    json: async <T>(): Promise<T> => ({ ...found, places }) as T,
  };
  const answer = await findById.answer(request, { id: "root-1" } as never, 1_200);
  const text = answer.within(1_200);
  expect(text).toContain("Tool log in memory: not searched. Its rows are kept apart by tenant;");
  expect(text).not.toContain("Give the tenant");
});
