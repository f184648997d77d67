/**
 * A store that answers slowly several times in a row: a request waits for all of its reads no
 * longer than for one, and no part of an answer is shown as the whole.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { expect, test } from "vitest";

import type { HealthModel } from "../../../collector/src/pages/health/route.ts";
import { openDesk, turnEvents } from "./desk.ts";

/** Each read is well within the time of one, and two of them are not. */
const slowMs = 2_700;
const reads = ["page", "bundles", "root", "roots", "find"] as const;
const ledgerReads = [
  "listTurns",
  "countTurns",
  "turnFacets",
  "turnCounts",
  "turnFigures",
  "callFigures",
] as const;

type AnyRead = (...given: readonly unknown[]) => Promise<unknown>;

/** The store, slow once `at.on` is set. */
function slowly(sound: EvidenceStore, at: { on: boolean; reads: number }): EvidenceStore {
  const slow =
    (of: object, name: string): AnyRead =>
    async (...given) => {
      at.reads += 1;
      if (at.on) await new Promise((resolve) => setTimeout(resolve, slowMs));
      return (of as Readonly<Record<string, AnyRead>>)[name]?.(...given);
    };
  const own = (of: object, names: readonly string[]): object =>
    Object.fromEntries(names.map((name) => [name, slow(of, name)]));
  const ledger = { ...sound.ledger, ...own(sound.ledger, ledgerReads) };
  return { ...sound, ...own(sound, reads), ledger };
}

test("a page of slow reads ends with the read that was too slow, an export goes on", async () => {
  const at = { on: false, reads: 0 };
  const desk = await openDesk({}, { store: slowly(ephemeral(), at), judge: false });
  await desk.put(turnEvents({ root: "a" }));
  await desk.put(turnEvents({ root: "b" }));
  const whole = await (await desk.get("/traces/turns.csv")).text();
  at.on = true;
  at.reads = 0;
  const accept = { accept: "text/html" };
  const draft = encodeURIComponent("{name: slower, measure: p95_ms, change: 2, window: 2m}");
  const [program, person, health, file, preview] = await Promise.all([
    desk.get("/threads/thread-1.json"),
    desk.get("/threads/thread-1", accept),
    desk.json<HealthModel>("/traces/health.json"),
    desk.get("/traces/spans.csv").then((response) => response.text()),
    desk.get(`/alerts.json?draft=${draft}`),
  ]);
  expect([preview.status, await preview.json()]).toMatchObject([
    503,
    { code: "preview_timeout", field: "slower", detail: expect.stringContaining("shorter range") },
  ]);
  expect([program.status, program.headers.get("retry-after")]).toEqual([503, "5"]);
  const problem = (await program.json()) as Readonly<Record<string, unknown>>;
  expect(problem).toMatchObject({ code: "store_timeout", status: 503 });
  expect(problem["field"]).toMatch(/^[a-z]+(_[a-z]+)*$/);
  expect(person.status).toBe(503);
  const page = await person.text();
  expect(page).toContain("The store is too slow");
  expect(page).toContain(`<code>${String(problem["field"])}</code>`);
  expect(page).not.toContain("<table");
  // Health answers with what was read, and states what was not.
  expect(health).toMatchObject({ window_complete: true, range: null });
  expect(file.split("\n").length).toBeGreaterThan(whole.split("\n").length);
  await desk.collector.close();
});

test("where not all reports of producers were read, a missing number is no known loss", async () => {
  const sound = ephemeral();
  const at = { fails: false };
  const page: EvidenceStore["page"] = async (scope, query, options) => {
    if (at.fails && query.event_kind === "data_quality") throw new CodedError("store_busy");
    return sound.page(scope, query, options);
  };
  const desk = await openDesk({}, { store: { ...sound, page }, judge: false });
  const [first, ...others] = turnEvents({ root: "c" });
  if (first === undefined) throw new Error("no turn");
  // A number is missing: a loss, where all reports of the producer were read.
  const numbered = (event: TurnEvent, producer_seq: number): TurnEvent => {
    return { ...event, producer_id: "p", producer_seq };
  };
  const report: TurnEvent = {
    schema_version: 3,
    event_id: "report",
    event_kind: "data_quality",
    phase: "event",
    status: "success",
    timestamp: "2026-11-21T09:59:30.000Z",
    root_trace_id: "report",
    producer_id: "p",
    attributes: { loss_created: 3, loss_exported: 3, loss_dropped: 0 },
  };
  const sent = others.map((event, index) => numbered(event, index + 2));
  await desk.put([numbered(first, 0), ...sent, report]);
  const lost = async (): Promise<unknown> => {
    const { producers } = await desk.json<HealthModel>("/traces/health.json");
    return producers.find(({ producer_id: id }) => id === "p");
  };
  expect(await lost()).toMatchObject({ state: "lost", lost: 1 });
  at.fails = true;
  expect(await lost()).toMatchObject({ state: "unknown", lost: null });
  await desk.collector.close();
});
