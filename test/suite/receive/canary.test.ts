/**
 * A canary stands in every place where an OTLP request can hold a text that is not allowlisted. It
 * must not be found in a decoded record, in an event, on the disk, in a log, an answer or a metric
 * (privacy: How a value is judged; faults: content-free by construction).
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { decodeJsonSpans } from "../../../collector/src/receive/otlp/decode-json.ts";
import { decodeProtobufSpans } from "../../../collector/src/receive/otlp/decode-protobuf.ts";
import { decodeFrame } from "../../../collector/src/receive/otlp/frame-codec.ts";
import { ingestBody } from "../../../collector/src/receive/otlp/ingest-body.ts";
import type { IngestBody } from "../../../collector/src/receive/otlp/ingest-body.ts";
import { compileSourceTables } from "../../../collector/src/receive/otlp/source-tables.ts";
import { createSpanMapper } from "../../../collector/src/receive/otlp/span-mapper.ts";
import { identityKey, json, openHarness, protobuf } from "./harness.ts";
import { canaryBodies } from "./canary-bodies.ts";
import type { CanaryBody } from "./canary-bodies.ts";

const canary = "CANARYzq7";
const bodies = canaryBodies(canary);
const [[, , tracesProtobuf], [, , tracesJson]] = bodies as [CanaryBody, CanaryBody];

test("records hold none of it", () => {
  const tables = compileSourceTables();
  const decoded = [
    decodeProtobufSpans(tracesProtobuf, tables),
    decodeJsonSpans(tracesJson, tables),
  ];
  for (const { spans } of decoded) {
    expect(spans.length).toBeGreaterThan(0);
    // A text of ours in a forbidden form is refused one step later, by the guard.
    const whole = spans.map((span) => ({ ...span, attributes: span.attributes }));
    const text = JSON.stringify(whole).replaceAll(/"(https:\/\/[^"]*|[^"]*@example\.com)"/g, '""');
    expect(text).not.toContain(canary);
  }
});

test.each(bodies)("events and errors of %s hold none of it", (_name, kind, body) => {
  const tables = compileSourceTables();
  const mapSpan = createSpanMapper({ identityKey });
  const principal = { name: "local", trusted: true };
  const receivedAt = "2026-11-21T10:00:00.000000Z";
  const whole: IngestBody = { ...kind, coding: "identity", bytes: body, principal, receivedAt };
  const outcome = ingestBody(whole, tables, mapSpan, () => {});
  expect(JSON.stringify({ ...outcome, payload: 0 })).not.toContain(canary);
  expect(Buffer.from(outcome.payload).toString("latin1")).not.toContain(canary);
  if (outcome.events > 0) expect(decodeFrame(outcome.payload)).toHaveLength(outcome.events);
  for (let cut = 1; cut < body.length; cut += 13) {
    try {
      ingestBody({ ...whole, bytes: body.subarray(0, cut) }, tables, mapSpan, () => {});
    } catch (error) {
      expect(CodedError.is(error)).toBe(true);
      expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain(canary);
    }
  }
});

test("disk, log, answers and counts hold none of it while the store is away", async () => {
  const harness = await openHarness({
    store: {
      append: () => Promise.reject(new CodedError("store_unavailable")),
      readBack: () => Promise.reject(new CodedError("store_unavailable")),
    },
  });
  const seen: string[] = [];
  for (const [, kind, body] of bodies) {
    const headers = { ...(kind.encoding === "json" ? json : protobuf), "x-canary": canary };
    for (const part of [body, body.subarray(0, -3), Buffer.concat([body, body])]) {
      const answer = await harness.post(part, headers, `/v1/${kind.signal}?${canary}=1`);
      seen.push(answer.body.toString("latin1"), JSON.stringify([...answer.headers]));
    }
  }
  const folder = join(harness.directory, "journal");
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
  expect(harness.receiver.conservation().pending).toBeGreaterThan(0);
  expect(files.join("").length).toBeGreaterThan(500);
  const everything = [
    ...files,
    ...seen,
    harness.logged(),
    JSON.stringify(harness.receiver.report()),
  ];
  for (const piece of everything) expect(piece).not.toContain(canary);
  await harness.close();
});
