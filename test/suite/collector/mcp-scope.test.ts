/**
 * The tools for agents in every scope: each tool, called with every owner's ids, shows no row that
 * the pages would not show to the same token.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { ephemeral, ephemeralMemory } from "@turnproof/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Listening } from "../../../collector/src/http/connections.ts";
import { tools } from "../../../collector/src/mcp/mcp-server.ts";
import { listen } from "../../../collector/src/server.ts";
import { judgeTurns, openDesk, quiet, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { call, connect } from "./mcp-client.ts";

const token = (name: string): string => `${name}-q7KxZt4Wm9Rc2Yd8`;
const accounts = {
  alice: { role: "admin", user_id: "alice" },
  shop: { role: "analyst", application_id: "shop" },
  anonymous: { role: "viewer", user_id: null },
  newcomer: { role: "viewer", user_id: "zoe" },
  admin: { role: "admin" },
} as const;

/** Whose evidence there is: its marker stands in fields that no question names. */
const owners = {
  alice: { user: "alice", application: "desk" },
  bob: { user: "bob", application: "desk" },
  dora: { user: "dora", application: "shop" },
  null: { user: null, application: "desk" },
  unrecorded: { user: undefined, application: "desk" },
} as const;
type Owner = keyof typeof owners;
const names = Object.keys(owners) as Owner[];
const marker = (owner: Owner): string => `mk-${owner}-mk`;
const visible = {
  alice: ["alice"],
  shop: ["dora"],
  anonymous: ["null"],
  newcomer: [],
  admin: names,
} as const;

function evidenceOf(owner: Owner, root = `root-${owner}`): TurnEvent[] {
  const { user, application } = owners[owner];
  return turnEvents({
    root,
    agent: root === "root-shared" ? "agent-shared" : `agent-${owner}`,
    thread: `thread-${owner}`,
    application,
    ...(user === undefined ? {} : { user }),
  }).map((event) => ({
    ...event,
    turn_id: `${marker(owner)}-turn`,
    event_id: `${owner}-${event.event_id}`,
    span_id: `${owner}-${event.span_id ?? ""}`,
    task_id: marker(owner),
    ...(event.event_kind === "tool_call"
      ? {
          status: "error" as const,
          attributes: {
            tool_name: marker(owner),
            tool_outcome: "error" as const,
            service_version: `${marker(owner)}-1`,
          },
        }
      : {}),
    output_refs: [{ resource_type: "letter", ref: `letter-${owner}`, version: "1" }],
  }));
}

let desk: Desk;
let server: Listening;
beforeAll(async () => {
  const rows = Object.entries(accounts).map(([name, row]) => [
    name,
    { token: token(name), ...row },
  ]);
  desk = await openDesk(
    { TURNPROOF_UI_ACCOUNTS: JSON.stringify(Object.fromEntries(rows)) },
    { store: ephemeral(), memory: ephemeralMemory(), judge: false },
  );
  for (const owner of names) {
    await desk.put(evidenceOf(owner));
    await desk.put(evidenceOf(owner, "root-shared"));
  }
  const roots = [...names.map((owner) => `root-${owner}`), "root-shared"];
  await judgeTurns(desk.store, roots, { verdict: "failed", finding_codes: [] });
  server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
});
afterAll(async () => {
  await server.close(1_000);
  await desk.collector.close();
});

const since = "2026-11-01";
/**
 * The arguments of each tool for an owner's evidence; a tool without a row fails the test below.
 */
const questions: {
  readonly [tool: string]: (owner: Owner) => readonly Record<string, unknown>[];
} = {
  why_did_this_turn_fail: (owner) => [
    { id: `root-${owner}` },
    { id: "root-shared" },
    { id: `thread-${owner}` },
    { id: `letter-${owner}` },
    { id: owners[owner].user ?? "nothing" },
  ],
  what_failed_since: (owner) => [
    { since },
    { since, agent_id: `agent-${owner}` },
    { since, q: `thread:thread-${owner}` },
    { since, q: `user:${owners[owner].user ?? "anonymous"}` },
    { since, q: "-agent:none", limit: 50, budget: 8_000 },
  ],
  compare_two_turns: (owner) => [
    { baseline_root: `root-${owner}`, candidate_root: `root-${owner}` },
    { baseline_root: "root-shared", candidate_root: `root-${owner}` },
    { baseline_root: "root-shared", candidate_root: "root-shared", agent_id: "agent-shared" },
  ],
  compare_two_releases: (owner) => [{}, { agent_id: `agent-${owner}` }, { baseline: "none" }],
  which_tool_or_model_got_slow_or_costly: (owner) => [
    { until: "2026-11-22T00:00:00Z", hours: 48 },
    { until: "2026-11-22T00:00:00Z", kind: "model", min_calls: 1, agent_id: `agent-${owner}` },
  ],
  is_telemetry_being_lost: (owner) => [{}, { agent_id: `agent-${owner}` }],
  find_by_id: (owner) => [
    { id: `root-${owner}` },
    { id: `thread-${owner}` },
    { id: `letter-${owner}` },
    { id: "root-shared" },
    { id: "desk" },
  ],
  check_a_contract: (owner) => [
    { root_trace_id: `root-${owner}` },
    { root_trace_id: "root-shared" },
  ],
  how_do_i_instrument: () => [{ framework: "express" }],
};

test("every tool is asked", () => {
  expect(Object.keys(questions).toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
});

describe.each(Object.keys(accounts) as (keyof typeof accounts)[])("%s", (name) => {
  test("sees its own rows and no foreign one, by any tool", async () => {
    const client = await connect(server.url, token(name));
    const seen = new Set<string>();
    for (const [tool, requests] of Object.entries(questions)) {
      for (const owner of names) {
        for (const input of requests(owner)) {
          const { text } = await call(client, tool, input);
          for (const other of names) if (text.includes(marker(other))) seen.add(other);
        }
      }
    }
    expect([...seen].toSorted()).toEqual([...visible[name]].toSorted());
    await client.close();
  });

  test("a cursor of another principal is refused", async () => {
    const admin = await connect(server.url, token("admin"));
    const { text } = await call(admin, "what_failed_since", { since, limit: 1 });
    const cursor = /^cursor: (\S+)$/m.exec(text)?.[1] ?? "";
    const client = await connect(server.url, token(name));
    const page = await call(client, "what_failed_since", { since, limit: 1, cursor });
    if (name === "admin") expect(page.text).toContain("root ");
    else expect(page.text).toMatch(/^cursor_rejected: /);
    await admin.close();
    await client.close();
  });
});

test("without a producer in scope losses are not known", async () => {
  const client = await connect(server.url, token("newcomer"));
  const { text } = await call(client, "is_telemetry_being_lost", {});
  expect(text).toMatch(/^not known: no producer is in this scope$/m);
  await client.close();
});

test("turns without a verdict are counted apart from those that failed, in scope", async () => {
  await desk.put(evidenceOf("alice", "root-young"));
  const counted = async (name: string): Promise<string | undefined> => {
    const client = await connect(server.url, token(name));
    const { text } = await call(client, "what_failed_since", { since, limit: 1, budget: 8_000 });
    await client.close();
    return /^(\d+) more are not judged yet and not counted$/m.exec(text)?.[1];
  };
  expect([await counted("alice"), await counted("shop")]).toEqual(["1", undefined]);
});
