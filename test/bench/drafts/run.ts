/**
 * @module Drafts bench: CPU of each step that a stored span takes part in until its turn has a
 * draft of its verdict, one thread, no store.
 *
 *   node -C @turnproof/source test/bench/drafts/run.ts [requests] [rounds]
 *
 * Given is the least µs an event of all rounds. Steps that contain others are marked.
 */
import { groupBy } from "@turnproof/semconv";

import { draftJudge } from "../../../collector/src/judge/judge-drafts.ts";
import { decodeFrame } from "../../../collector/src/receive/otlp/frame-codec.ts";
import { ingestBody } from "../../../collector/src/receive/otlp/ingest-body.ts";
import { compileSourceTables } from "../../../collector/src/receive/otlp/source-tables.ts";
import { createSpanMapper } from "../../../collector/src/receive/otlp/span-mapper.ts";
import { encodeTurns } from "../../../packages/store/src/clickhouse/turn-columns.ts";
import { HeldRows } from "../../../packages/store/src/ledger/held-rows.ts";
import { recordsOf } from "../../../packages/store/src/ledger/turn-records.ts";
import { settledEvents } from "../../../packages/store/src/settle.ts";
import { storedForm } from "../../../packages/store/src/stored-event.ts";
import { batches } from "../receive/payloads.ts";

const count = Number(process.argv[2] ?? 20);
const rounds = Number(process.argv[3] ?? 15);
const receivedAt = "2026-11-23T08:50:00.123456Z";
const tables = compileSourceTables();
const mapSpan = createSpanMapper({
  identityKey: { kid: "bench", secret: Buffer.alloc(32, 7) },
  knownNames: [],
});
const principal = { name: "bench", trusted: true };
const payloads = batches("own spans", count, false, "identity").bodies.map(
  (bytes) =>
    ingestBody(
      { signal: "traces", encoding: "protobuf", coding: "identity", bytes, principal, receivedAt },
      tables,
      mapSpan,
      () => undefined,
    ).payload,
);
const read = (): ReturnType<typeof decodeFrame>[] => payloads.map(decodeFrame);
const events = read().flat();
const stored = (): ReturnType<typeof storedForm>[] =>
  events.map((event) => storedForm(event, receivedAt));
const roots = [...groupBy(stored(), ({ root_trace_id: root = "" }) => root)].map(([root, rows]) => {
  const held = new HeldRows(root);
  for (const row of rows) held.add(row);
  held.pack();
  return { root, held };
});
const version = { epoch: 0, rows: 8, settled: false };
const judge = draftJudge({});
const whole = roots.map(({ root, held }) => ({
  root,
  rows: held.count,
  epoch: 0,
  events: settledEvents(held.unsettled()),
}));
const unpacked = roots.map(({ held }) => held.unsettled());
const drafts = whole.flatMap((one) => recordsOf(one.events, version, judge(one)));

const steps: Readonly<Record<string, () => unknown>> = {
  "parse frames": read,
  "stored form": stored,
  pack: () => {
    for (const [at, { root }] of roots.entries()) {
      const held = new HeldRows(root);
      for (const row of unpacked[at] ?? []) held.add(row);
      held.pack();
    }
  },
  unpack: () => roots.map(({ held }) => held.unsettled()),
  settle: () => unpacked.map(settledEvents),
  "fold, calls, names": () => whole.map((one) => recordsOf(one.events, version)),
  "the same, and judge": () => whole.map((one) => recordsOf(one.events, version, judge(one))),
  "encode a row of each turn": () => encodeTurns(drafts.map((put) => ({ put }))),
};

const least = new Map<string, number>();
for (let round = 0; round < rounds; round += 1) {
  for (const [name, work] of Object.entries(steps)) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least.set(name, Math.min(least.get(name) ?? Infinity, (user + system) / events.length));
  }
}
console.log(`${events.length} events, ${whole.length} roots, ${drafts.length} turns`);
for (const [name, us] of least) console.log(`${us.toFixed(2).padStart(8)}  ${name}`);
