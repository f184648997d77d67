/**
 * @module Packed bench: `node -C @turnproof/source test/bench/packed/run.ts [batches] [rounds]`.
 * What journal frames of packed bundles would cost and save beside frames of JSON, step by step:
 * CPU in microseconds for each event, least of the rounds. Figures are good for ratios only.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { BlockPreparer } from "@turnproof/store/prepare";

import { decodeFrame, encodeFrame } from "../../../collector/src/receive/otlp/frame-codec.ts";
import { ingestBody } from "../../../collector/src/receive/otlp/ingest-body.ts";
import { compileSourceTables } from "../../../collector/src/receive/otlp/source-tables.ts";
import { createSpanMapper } from "../../../collector/src/receive/otlp/span-mapper.ts";
import { decodeBody } from "../../../packages/store/src/bundle/decode.ts";
import { joinSegments } from "../../../packages/store/src/bundle/encode.ts";
import { packBundles } from "../../../packages/store/src/bundle/pack.ts";
import type { BundleRow } from "../../../packages/store/src/bundle/pack.ts";
import { batchNumber, encodeRows } from "../../../packages/store/src/clickhouse/bundle-table.ts";
import { storedForm } from "../../../packages/store/src/stored-event.ts";
import { batches } from "../receive/payloads.ts";

const count = Number(process.argv[2] ?? 30);
const rounds = Number(process.argv[3] ?? 7);
const receivedAt = "2026-11-23T08:50:00.123456Z";

const tables = compileSourceTables();
const mapSpan = createSpanMapper({
  identityKey: { kid: "bench", secret: Buffer.alloc(32, 7) },
  knownNames: [],
});
const principal = { name: "bench", trusted: true };
const bodies = batches("plain", count, false, "identity").bodies.map((bytes) => ({
  signal: "traces" as const,
  encoding: "protobuf" as const,
  coding: "identity" as const,
  bytes,
  principal,
  receivedAt,
}));
const receive = (): Uint8Array[] =>
  bodies.map((body) => ingestBody(body, tables, mapSpan, () => undefined).payload);
const payloads = receive();
const requests = payloads.map(decodeFrame);
const events = requests.reduce((sum, { length }) => sum + length, 0);

/** A frame of packed bundles, as plain as it can be: rows without bodies, then the bodies. */
function pack(request: readonly TurnEvent[]): Buffer {
  const rows = packBundles(request.map((event) => storedForm(event, receivedAt)));
  const heads = rows.map(({ segments, ...row }) => ({ ...row, length: segments.length }));
  const head = JSON.stringify(heads);
  const text = rows.map(({ segments }) => segments).join("");
  return Buffer.from(`${String(head.length).padStart(8, "0")}${head}${text}`);
}

function unpack(frame: Buffer): BundleRow[] {
  const end = 8 + Number(frame.toString("latin1", 0, 8));
  const heads = JSON.parse(frame.toString("utf8", 8, end)) as (BundleRow & {
    readonly length: number;
  })[];
  const text = frame.toString("utf8", end);
  let at = 0;
  return heads.map(({ length, ...row }) => {
    at += length;
    return { ...row, segments: text.slice(at - length, at) };
  });
}

const packed = requests.map(pack);
const bytesOf = (frames: readonly Uint8Array[]): number =>
  frames.reduce((sum, { byteLength }) => sum + byteLength, 0) / events;

const steps: Readonly<Record<string, () => unknown>> = {
  "receive, with JSON": receive,
  "JSON of the events": () => requests.map(encodeFrame),
  "packing of the events": () => requests.map(pack),
  "drain of JSON to blocks": () => {
    const preparer = new BlockPreparer();
    for (const event of payloads.flatMap(decodeFrame)) preparer.add(event, receivedAt);
    return preparer.finish("bench", receivedAt);
  },
  "drain of packed frames to blocks": () => {
    const rows = packed.flatMap(unpack);
    return encodeRows([{ number: batchNumber("bench"), events, words: [], rows }]);
  },
  "recorder reads JSON": () => payloads.map(decodeFrame),
  "recorder reads packed frames": () =>
    packed.map((frame) =>
      unpack(frame).map((row) => decodeBody(row.root_trace_id, joinSegments([row.segments]))),
    ),
};

const least = new Map<string, number>();
for (let round = 0; round < rounds; round += 1) {
  for (const [name, work] of Object.entries(steps)) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least.set(name, Math.min(least.get(name) ?? Infinity, (user + system) / events));
  }
}
const sizes = `JSON ${bytesOf(payloads).toFixed(0)}, packed ${bytesOf(packed).toFixed(0)}`;
console.log(`${events} events; bytes an event: ${sizes}; CPU in microseconds an event:`);
for (const [name, us] of least) console.log(`${us.toFixed(2).padStart(8)}  ${name}`);
