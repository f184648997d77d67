/**
 * The tools for agents, called by the protocol's official client: questions about a week of turns,
 * budgets, pages and the audit log.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Client } from "@modelcontextprotocol/client";
import { defaultContract, defineContract, gate } from "@turnproof/contracts";
import type { GateOutcome } from "@turnproof/contracts";
import { ephemeral } from "@turnproof/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { openPriceList } from "../../../collector/src/cost/price-list.ts";
import type { Listening } from "../../../collector/src/http/connections.ts";
import { measureTrials, sideTurns, trialsOf } from "../../../collector/src/judge/gate-turns.ts";
import type { SideTurn } from "../../../collector/src/judge/gate-turns.ts";
import { tokensAtMost } from "../../../collector/src/mcp/answer-text.ts";
import { tools } from "../../../collector/src/mcp/mcp-server.ts";
import type { WindowsModel } from "../../../collector/src/pages/windows/route.ts";
import { listen } from "../../../collector/src/server.ts";
import { diceOf } from "../../apps/week/dice.ts";
import { sendWeek } from "../../apps/week/week.ts";
import type { Week } from "../../apps/week/week.ts";
import { openDesk, quiet } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { call, connect } from "./mcp-client.ts";

const token = "root-q7KxZt4Wm9Rc2Yd8";
const headers = { authorization: `Bearer ${token}` };
const weekMs = 7 * 86_400_000;

let desk: Desk;
let server: Listening;
let client: Client;
let week: Week;
const endMs = Date.now() - 3_600_000;
const since = new Date(endMs - weekMs - 86_400_000).toISOString();
beforeAll(async () => {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-prices-")), "prices.json");
  const models = ["gpt-4o-mini", "gpt-4.1-mini", "gpt-4.1"];
  const flat = { input_mtok: 2.5, output_mtok: 10 };
  writeFileSync(file, JSON.stringify(models.map((model) => ({ model, prices: flat }))));
  const env = { TURNPROOF_UI_AUTH_TOKEN: token, TURNPROOF_PRICES: file };
  desk = await openDesk(env, { store: ephemeral() });
  server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  week = await sendWeek({ endpoint: server.url, endMs, turns: 120, seed: "agents ask" });
  const judged = async (): Promise<void> => {
    const path = "/traces/turns.json?verdict=unjudged&limit=1000";
    const { items } = await desk.json<{ items: unknown[] }>(path, headers);
    const all = await desk.json<{ turns: number }>("/traces/facets.json", headers);
    expect([all.turns >= 120, items.length <= 1]).toEqual([true, true]);
  };
  await vi.waitFor(judged, { timeout: 60_000, interval: 100 });
  client = await connect(server.url, token);
});
afterAll(async () => {
  await client.close();
  await server.close(1_000);
  await desk.collector.close();
});

/** A turn of the list with this verdict. */
async function rootWith(verdict: string, more = ""): Promise<string> {
  const path = `/traces/turns.json?verdict=${verdict}&limit=1${more}`;
  const { items } = await desk.json<{ items: { root_trace_id: string }[] }>(path, headers);
  return items[0]?.root_trace_id ?? "";
}

test("both revisions of the protocol list the tools, and each only reads", async () => {
  const older = await connect(server.url, token, "legacy");
  for (const one of [client, older]) {
    const { tools: listed } = await one.listTools();
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    for (const { annotations, inputSchema } of listed) {
      expect(annotations).toMatchObject({ readOnlyHint: true });
      expect(inputSchema).toMatchObject({ additionalProperties: false });
    }
  }
  expect((await call(older, "is_telemetry_being_lost", {})).text).toMatch(/^(yes|no|not known): /);
  await older.close();
});

test("two calls say why a turn failed, within 2,000 tokens, with evidence and a link", async () => {
  const failed = await call(client, "what_failed_since", { since, verdict: "failed", limit: 1 });
  const root = /root (\S+) agent/.exec(failed.text)?.[1] ?? "";
  const why = await call(client, "why_did_this_turn_fail", { id: root });
  expect(tokensAtMost(failed.text) + tokensAtMost(why.text)).toBeLessThanOrEqual(2_000);
  const page = await desk.json<{ verdict: { why: string; findings: { code: string }[] } }>(
    `/traces/${root}.json`,
    headers,
  );
  expect(why.text).toContain(`why: ${page.verdict.why}`);
  const [finding] = page.verdict.findings;
  expect(why.text).toMatch(new RegExp(`finding ${finding?.code ?? "-"} .*\\[evidence \\S+`));
  expect(why.text).toContain(`page: ${server.url}/traces/${root}`);
});

test("what failed leads with failures, counts them by verdict, and shows how to get the rest", async () => {
  const input = { since, limit: 5 };
  const rank = async (ended: string, verdict: string, root: string): Promise<number> => {
    if (verdict !== "unknown") return verdict === "failed" ? 0 : 1;
    const path = `/traces/turns.json?q=${encodeURIComponent(`root:${root} has:error`)}`;
    const { items } = await desk.json<{ items: { ended_at: string }[] }>(path, headers);
    // A trace may have a further turn.
    return items.some(({ ended_at: at }) => at.startsWith(ended)) ? 2 : 3;
  };
  const ranks: number[] = [];
  let cursor: string | undefined;
  do {
    const { text } = await call(client, "what_failed_since", {
      ...input,
      ...(cursor === undefined ? {} : { cursor }),
    });
    expect(tokensAtMost(text)).toBeLessThanOrEqual(1_200);
    if (cursor === undefined) {
      const { facets } = await desk.json<{
        facets: { key: string; values: { value: string; count: number }[] }[];
      }>(`/traces/facets.json?start_time=${since}`, headers);
      const values = facets.find(({ key }) => key === "verdict")?.values ?? [];
      const counts = ["failed", "partial", "unknown"].flatMap((verdict) => {
        const found = values.find(({ value }) => value === verdict);
        return found === undefined ? [] : [`${verdict} ${found.count}`];
      });
      expect(counts.length).toBeGreaterThan(1);
      expect(text.split("\n")[1]).toBe(`by verdict: ${counts.join(", ")}`);
      expect(text).toMatch(/^\d+ more: call again with the cursor, or name a verdict$/m);
    }
    const rows = text.matchAll(/^.*?(\S+)Z (\S+) root (\S+) agent/gm);
    for (const [, ended = "", verdict = "", root = ""] of rows) {
      ranks.push(await rank(ended, verdict, root));
    }
    cursor = /^cursor: (\S+)$/m.exec(text)?.[1];
  } while (cursor !== undefined);
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  expect(new Set(ranks).size).toBeGreaterThan(2);
  const wrong = await call(client, "what_failed_since", { ...input, cursor: "x" });
  expect(wrong.text).toMatch(/^cursor_rejected: /);
});

test("any id of a turn leads to its verdict", async () => {
  const { items } = await desk.json<{ items: Record<string, string>[] }>(
    "/traces/turns.json?verdict=partial&limit=1",
    headers,
  );
  for (const name of ["turn_id", "run_id"]) {
    const { text } = await call(client, "why_did_this_turn_fail", { id: items[0]?.[name] ?? "" });
    expect(text).toContain(`found by ${name}`);
    expect(text).toContain(`root ${items[0]?.["root_trace_id"] ?? "-"}`);
  }
  const unknown = await call(client, "why_did_this_turn_fail", { id: "never-seen" });
  expect(unknown).toEqual({ refused: false, text: "Nothing in your scope mentions never-seen." });
});

test("the pages of a question hold every turn that did not succeed, once", async () => {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const { text } = await call(client, "what_failed_since", {
      since,
      limit: 5,
      budget: 8_000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    found.push(...[...text.matchAll(/ root (\S+) agent/g)].map(([, root = ""]) => root));
    cursor = /^cursor: (\S+)$/m.exec(text)?.[1];
  } while (cursor !== undefined);
  const { items } = await desk.json<{ items: { root_trace_id: string; verdict: string }[] }>(
    "/traces/turns.json?limit=1000",
    headers,
  );
  const expected = items.filter(({ verdict }) => !["success", "unjudged"].includes(verdict));
  expect(found.length).toBeGreaterThan(5);
  expect(found.toSorted()).toEqual(expected.map((row) => row.root_trace_id).toSorted());
});

test("an answer keeps its budget, says what it left out and keeps its link", async () => {
  const root = await rootWith("failed");
  for (const budget of [200, 250, 300]) {
    const { text } = await call(client, "why_did_this_turn_fail", { id: root, budget });
    expect(tokensAtMost(text)).toBeLessThanOrEqual(budget);
    expect(text).toMatch(/^\(\d+ more lines do not fit/m);
    expect(text).toContain(`page: ${server.url}/traces/${root}`);
  }
});

test("turns and releases are compared, and a pair of turns is named", async () => {
  const releases = await call(client, "compare_two_releases", { agent_id: "order-desk" });
  const [, baseline_root = "", candidate_root = ""] =
    /baseline_root (\S+) candidate_root (\S+) agent_id/.exec(releases.text) ?? [];
  expect(releases.text).toMatch(/^baseline \S+: \d+ turns; .*p95 /m);
  const turns = await call(client, "compare_two_turns", { baseline_root, candidate_root });
  expect(turns.text).toMatch(/^release: \S+ -> \S+$/m);
  expect(turns.text).toMatch(/^operations: \d+ matched/m);
  const none = await call(client, "compare_two_releases", { baseline: "0.0.0-none" });
  expect(none.text).toMatch(/^Two releases are needed; in your scope are: /);
});

test("calls of two windows are compared, those of models with their cost", async () => {
  const until = new Date(endMs + 60_000).toISOString();
  const input = { hours: 84, until, min_calls: 3 };
  const slow = await call(client, "which_tool_or_model_got_slow_or_costly", input);
  expect(slow.text).toMatch(/: p95 .+ -> .+ \(x\d+\.\d\d\), failed .+ -> .+, calls \d+ -> \d+/);
  const costly = await call(client, "which_tool_or_model_got_slow_or_costly", {
    ...input,
    kind: "model",
  });
  expect(costly.text).toContain(": p95 ");
  expect(costly.text).toMatch(/gpt-4.1: .*cost per call \$0\.\d/);
  // A tool has no price.
  expect(slow.text).not.toContain("cost per call");
});

test("times count back from now, as on the pages", async () => {
  const back = await call(client, "what_failed_since", { since: "-30d", limit: 1 });
  const fixed = await call(client, "what_failed_since", { since, limit: 1 });
  expect(back.text).toMatch(/^\d+ turns since 30 days ago$/m);
  expect(back.text.split(" ")[0]).toBe(fixed.text.split(" ")[0]);
  const ago = { hours: 84, until: "-1h", min_calls: 3 };
  const slow = await call(client, "which_tool_or_model_got_slow_or_costly", ago);
  expect(slow.text).toMatch(/: p95 .+ -> .+ calls \d+ -> \d+/);
  const wrong = await call(client, "what_failed_since", { since: "yesterday" });
  expect([wrong.refused, wrong.text.split(":")[0]]).toEqual([true, "parameter_invalid"]);
});

test("a recorded status is not taken for the verdict", async () => {
  const { text } = await call(client, "why_did_this_turn_fail", { id: await rootWith("failed") });
  expect(text).toMatch(/^verdict: failed/m);
  expect(text).toMatch(/^turn \S+: recorded status /m);
});

test("losses are told as known, unknown or none", async () => {
  const { text } = await call(client, "is_telemetry_being_lost", {});
  expect(text).toMatch(/^yes: \d+ of \d+ producers lost events/);
  expect(text).toMatch(/^producer \S+ \(.*\): lost \d+/m);
  expect(text).toMatch(/^collector: received \d+, stored \d+.*adds up/m);
  // Producers report losses of their own, not of an agent's turns.
  expect(text).not.toContain("not of one agent");
  const narrowed = await call(client, "is_telemetry_being_lost", { agent_id: "order-desk" });
  expect(narrowed.text).toMatch(/^losses are those of each producer, not of one agent$/m);
});

test("a cost clause goes by the collector's prices", async () => {
  const root_trace_id = await rootWith("success", "&agent_id=order-desk&q=model%3Agpt-4.1-mini");
  const bound = async (usd: number): Promise<string> => {
    const clause = `{ clause: cost, at_most: ${usd} }`;
    const contracts = `version: 1\ncontracts: [{ name: costly, expect: [${clause}] }]\n`;
    return (await call(client, "check_a_contract", { root_trace_id, contracts })).text;
  };
  expect(await bound(1_000)).toMatch(/^holds: contract costly/);
  expect(await bound(0)).toMatch(/^violated: contract costly.*\n.*US dollars/);
});

test("a thousand splits of the week into two equal sides give at most 5 % false alarms", async () => {
  const contracts = [
    defaultContract,
    defineContract({ name: "quick", expect: [{ clause: "duration", at_most_ms: 5_000 }] }),
    defineContract({ name: "few-tokens", expect: [{ clause: "tokens", at_most: 8_000 }] }),
  ];
  const names = contracts.map(({ name }) => name);
  const prices = await openPriceList(undefined);
  const { items } = await desk.json<WindowsModel>("/traces/windows.json?limit=200", headers);
  const turns = items.flatMap((window) => sideTurns(window, { contracts, goldens: [] }, prices));
  expect(turns.length).toBeGreaterThan(100);
  // An unknown measure counts against a finding, so that false alarms are fewer with them.
  const measured = turns.filter(({ durationMs, tokens }) => (durationMs && tokens) !== undefined);
  expect(measured.length).toBeGreaterThan(80);
  // Each turn is on one of both sides by the lot, so nothing changed between them.
  const dice = diceOf("two sides");
  const compare = (of: readonly SideTurn[], worse: number): GateOutcome => {
    const lots = of.map((turn) => ({ turn, lot: dice.roll() })).toSorted((a, b) => a.lot - b.lot);
    const half = Math.floor(lots.length / 2);
    const before = lots.slice(0, half).map(({ turn }) => turn);
    const after = lots.slice(half).map(({ turn }) => (dice.roll() < worse ? violated(turn) : turn));
    const settings = { allowedDrop: 0, allowedGrowth: 0 };
    return gate(trialsOf(names, before, after), measureTrials(before, after), settings).outcome;
  };
  const alarms = (of: readonly SideTurn[], runs: number, worse: number): number =>
    Array.from({ length: runs }, () => compare(of, worse)).filter((one) => one === "regressed")
      .length;
  expect(alarms(turns, 1_000, 0)).toBeLessThanOrEqual(50);
  const falseOnes = alarms(measured, 1_000, 0);
  expect(falseOnes).toBeGreaterThan(0);
  expect(falseOnes).toBeLessThanOrEqual(50);
  // A planted regression is found, so that silence is not what keeps the alarms few.
  expect(alarms(turns, 50, 0.8)).toBeGreaterThan(45);
});

/** The turn with every contract violated. */
function violated(turn: SideTurn): SideTurn {
  return { ...turn, results: turn.results.map((one) => ({ ...one, result: "violated" })) };
}

test("contracts are judged clause by clause; a wrong file names path and rule", async () => {
  const root_trace_id = await rootWith("failed");
  const plain = await call(client, "check_a_contract", { root_trace_id });
  expect(plain.text).toMatch(/^(holds|violated|not_established): contract default, turn /);
  const contracts =
    "version: 1\ncontracts:\n  - name: quick\n    expect:\n      - { clause: duration, at_most_ms: 1 }\n";
  const wrong = await call(client, "check_a_contract", {
    root_trace_id,
    contracts: contracts.replace("expect", "expects"),
  });
  expect(wrong.refused).toBe(true);
  expect(wrong.text).toMatch(/^contract_invalid: .*contracts\[0\]/);
});

test("each framework's page is read by its name", async () => {
  for (const [framework, stated] of [
    ["LangGraph", "npm install @langchain/langgraph"],
    ["Vercel AI SDK", "npm install ai"],
    ["mastra", "Mastra"],
    ["claude code", "# Claude Code and Codex CLI"],
    ["Codex", "# Claude Code and Codex CLI"],
    ["codex cli", "# Claude Code and Codex CLI"],
    ["rust", "# Other languages"],
    ["OpenLLMetry", "pip install traceloop-sdk"],
  ] as const) {
    const { text } = await call(client, "how_do_i_instrument", { framework, budget: 2_000 });
    expect([framework, text.includes(stated)]).toEqual([framework, true]);
    expect(text).toContain(`OTEL_EXPORTER_OTLP_ENDPOINT=${server.url}`);
  }
  const django = await call(client, "how_do_i_instrument", { framework: "django" });
  expect(django.text).toMatch(
    /^There is no page about django\. The nearest is python: .*\n# Python/,
  );
  const mongo = await call(client, "how_do_i_instrument", { framework: "mongo" });
  expect(mongo.text).toMatch(
    /^There is no page about mongo\. Any library that sends OpenTelemetry/,
  );
});

test("a wrong input is refused before anything is read", async () => {
  const before = readFileSync(join(desk.dataDir, "audit.jsonl"), "utf8").split("\n").length;
  const { refused } = await call(client, "find_by_id", { id: "x", sql: "select 1" });
  expect(refused).toBe(true);
  const events = auditEvents().slice(before - 1);
  expect(events).toEqual(["mcp.call"]);
});

function auditEvents(): string[] {
  return readFileSync(join(desk.dataDir, "audit.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => String((JSON.parse(line) as { event: string }).event));
}

test("the audit log has the call and each of its reads, and nothing that was asked", async () => {
  const before = auditEvents().length;
  await call(client, "find_by_id", { id: "canary-of-an-agent" });
  expect(auditEvents().slice(before).toSorted()).toEqual(["find.read", "mcp.call"]);
  expect(readFileSync(join(desk.dataDir, "audit.jsonl"), "utf8")).not.toContain("canary");
});

test("a request without a token, with a foreign origin or by another method is refused", async () => {
  const request = (init: RequestInit): Promise<Response> => fetch(`${server.url}/mcp`, init);
  const type = { "content-type": "application/json", accept: "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  expect((await request({ method: "POST", headers: type, body })).status).toBe(401);
  const foreign = { ...type, ...headers, origin: "https://elsewhere.example" };
  expect((await request({ method: "POST", headers: foreign, body })).status).toBe(403);
  expect((await request({ headers })).status).toBe(405);
  const large = JSON.stringify({ ...JSON.parse(body), more: "x".repeat(70_000) });
  expect(
    (await request({ method: "POST", headers: { ...type, ...headers }, body: large })).status,
  ).toBe(413);
  expect(week.turns).toBeGreaterThan(0);
});
