/**
 * A late outcome judges the turn again, and the statement of before stays valid at its `as_of`
 * (evidence: Statements): it is checked against what the collector exports afterwards.
 */
import { joinPages } from "@turnproof/evidence";
import type { EventPage, TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { checkStatement, equivocations } from "../../../collector/src/judge/statement-check.ts";
import { at, success, turn } from "../evidence/text-windows.ts";
import { openDesk } from "./desk.ts";

const own = { event_id: "turn", phase: "result", span_id: "bbbbbbbbbbbbbb01" };
const root = String(turn["root_trace_id"]);
const requested = `agent_id=clerk&root_trace_id=${root}`;

test("a failure that is told later ends the success, and not the statement of before", async () => {
  const desk = await openDesk({}, { judge: false });
  const events = [...success(), at(45, "turn", {}, own)] as unknown as TurnEvent[];
  await desk.put(events, "2026-11-21T08:01:00.000000Z");
  const keys = await desk.json<{ keys: [] }>("/.well-known/jwks.json");
  const sign = async (): Promise<string> =>
    (await desk.get(`/traces/reconcile.jws?${requested}`)).text();
  const read = async (): Promise<readonly TurnEvent[]> => {
    const page = await desk.json<EventPage>(`/traces/events.json?${requested}&limit=100`);
    return joinPages([{ page, cursor: null }]).events;
  };

  const before = await sign();
  const first = await checkStatement(before, keys, await read());
  expect(first).toMatchObject({ verdict: "supported", statement: { status: "success" } });

  const form = { agent_id: "clerk", root_trace_id: root, turn_id: String(turn["turn_id"]) };
  const reported = await desk.collector.app.request("http://localhost:4318/traces/outcomes", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...form, outcome: "failure", source: "desk" }),
  });
  expect(reported.status).toBe(201);

  const after = await sign();
  const exported = await read();
  expect(exported).toHaveLength(events.length + 1);
  const second = await checkStatement(after, keys, exported);
  expect(second).toMatchObject({
    verdict: "supported",
    statement: { status: "failed", findings: ["outcome_failed"], event_count: exported.length },
  });
  // The earlier statement, held against what is exported now.
  const still = await checkStatement(before, keys, exported);
  expect(still).toMatchObject({
    signature: "valid",
    evidence: "matches",
    verdict: "supported",
    statement: { status: "success", event_count: events.length },
  });
  expect(equivocations([first.statement, second.statement].flatMap((one) => one ?? []))).toEqual(
    [],
  );
  // What came before its mark is not left out: without it the evidence is another.
  const less = exported.filter((event) => event.event_id !== "delivery");
  expect(await checkStatement(before, keys, less)).toMatchObject({ evidence: "differs" });
  await desk.collector.close();
});

test("a stranger who names a second turn does not take a failure out of the first", async () => {
  const desk = await openDesk({}, { judge: false });
  const stated = { outcome: "failure", verified: true, source: "desk" };
  // It has its root alone, so its turn is the only one of the root.
  const { turn_id: _turn, ...failure } = at(50, "outcome", stated);
  const span = { event_id: "noise", span_id: "cccccccccccccc01", turn_id: "round-9" };
  const noise = at(51, "model_call", {}, { ...span, ingest_trusted: false });
  const events = [...success(), at(45, "turn", {}, own), failure] as unknown as TurnEvent[];
  await desk.put(events);
  await desk.put([noise as unknown as TurnEvent]);
  const verdict = await desk.json<{ status: string }>(`/traces/reconcile.json?${requested}`);
  expect(verdict.status).toBe("failed");
  await desk.collector.close();
});
