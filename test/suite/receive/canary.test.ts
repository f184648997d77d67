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
import {
  bytes,
  number,
  pair,
  spanBasics,
  spanId,
  tag,
  text,
  textPair,
  traceId,
} from "./wire-writer.ts";

const canary = "CANARYzq7";
const c = (where: string): string => `${canary} ${where} and more words`;
const list = bytes(
  5,
  bytes(1, text(1, c("list"))),
  bytes(1, bytes(5, bytes(1, text(1, c("deep"))))),
);
const map = bytes(6, textPair(1, c("map key"), c("map value")));

/** Foreign attributes of every type, in the given field. */
function foreign(field: number): Uint8Array {
  return Buffer.concat([
    textPair(field, c("key"), c("value")),
    textPair(field, "gen_ai.input.messages", c("messages")),
    textPair(field, "http.request.header.authorization", c("header")),
    textPair(field, "exception.message", c("exception")),
    textPair(field, "exception.stacktrace", c("stack")),
    pair(field, "gen_ai.tool.call.arguments", map),
    pair(field, "some.list", list),
    pair(field, "some.bytes", bytes(7, Buffer.from(c("bytes")))),
    // Our own keys with values that are no scalars, too long, or of a forbidden form.
    pair(field, "gen_ai.tool.name", map),
    pair(field, "gen_ai.request.model", bytes(7, Buffer.from(c("bytes of ours")))),
    textPair(field, "gen_ai.agent.name", c("x".repeat(2_000))),
    textPair(field, "gen_ai.provider.name", `https://${canary}.example/path?secret=1`),
    textPair(field, "turnproof.task.id", `${canary}@example.com`),
    bytes(
      field,
      textPair(77, c("unknown field"), c("of a pair")),
      text(1, "k"),
      bytes(2, text(1, c("v"))),
    ),
  ]);
}

const unknown = Buffer.concat([
  text(900, c("unknown field")),
  Buffer.from([...tag(901, 3), ...text(1, c("in a group")), ...tag(901, 4)]),
]);

const foreignSpan = bytes(
  2,
  ...spanBasics,
  text(3, `vendor=${canary}`),
  text(5, c("name")),
  foreign(9),
  bytes(11, text(2, c("event name")), foreign(3), unknown),
  bytes(13, bytes(1, traceId), bytes(2, spanId), text(3, c("link state")), foreign(4), unknown),
  bytes(15, text(2, c("status message")), number(3, 2)),
  unknown,
);

const tracesProtobuf = Buffer.concat([
  bytes(
    1,
    bytes(1, textPair(1, "service.name", "shop"), foreign(1), unknown),
    bytes(
      2,
      bytes(1, text(1, c("scope name")), text(2, c("scope version")), foreign(3), unknown),
      foreignSpan,
      text(3, c("scope schema url")),
      unknown,
    ),
    // A scope whose name only begins like one of ours.
    bytes(2, bytes(1, text(1, `@traceloop/${canary}`), text(2, c("version"))), foreignSpan),
    text(3, c("resource schema url")),
    unknown,
  ),
  unknown,
]);

const value = { stringValue: c("value") };
const foreignJson = [
  { key: c("key"), value },
  { key: "gen_ai.input.messages", value },
  { key: "exception.message", value },
  { key: "some.map", value: { kvlistValue: { values: [{ key: c("k"), value }] } } },
  {
    key: "some.list",
    value: { arrayValue: { values: [value, { arrayValue: { values: [value] } }] } },
  },
  { key: "some.bytes", value: { bytesValue: Buffer.from(c("bytes")).toString("base64") } },
  { key: "gen_ai.tool.name", value: { kvlistValue: { values: [{ key: c("k"), value }] } } },
  { key: "gen_ai.request.model", value: { arrayValue: { values: [value, { intValue: "7" }] } } },
  { key: "gen_ai.provider.name", value: { stringValue: `https://${canary}.example/` } },
  { key: "gen_ai.agent.name", value: { wordValue: c("word") } },
  { key: "turnproof.run.id", value: { intValue: c("digits") } },
  { [c("member")]: c("of a pair"), key: "k", value },
];
const more = { [c("unknown member")]: [c("unknown"), { [c("deep")]: c("deep") }] };
const spanJson = {
  traceId: Buffer.from(traceId).toString("hex"),
  spanId: Buffer.from(spanId).toString("hex"),
  traceState: c("state"),
  name: c("name"),
  kind: c("kind"),
  startTimeUnixNano: "1790000000000000001",
  endTimeUnixNano: "1790000000000000002",
  attributes: foreignJson,
  events: [{ name: c("event"), attributes: foreignJson, ...more }],
  links: [{ traceId: c("trace"), spanId: c("span"), traceState: c("s"), attributes: foreignJson }],
  status: { message: c("message"), code: c("code"), ...more },
  ...more,
};
const tracesJson = Buffer.from(
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: foreignJson, ...more },
        scopeSpans: [
          {
            scope: { name: c("scope"), version: c("v"), attributes: foreignJson },
            spans: [spanJson],
            schemaUrl: c("u"),
            ...more,
          },
        ],
        schemaUrl: c("url"),
        ...more,
      },
    ],
    ...more,
  }),
);

const evaluation = Buffer.concat([
  text(3, c("severity")),
  bytes(5, text(1, c("body"))),
  textPair(6, "gen_ai.evaluation.name", "helpfulness"),
  textPair(6, "gen_ai.evaluation.explanation", c("explanation")),
  foreign(6),
  bytes(9, traceId),
  bytes(10, spanId),
  text(12, "gen_ai.evaluation.result"),
]);
const logsProtobuf = bytes(
  1,
  bytes(1, foreign(1)),
  bytes(
    2,
    bytes(1, text(1, c("scope"))),
    bytes(2, evaluation),
    bytes(2, text(12, c("event")), bytes(5, text(1, c("body")))),
  ),
);
const logsJson = Buffer.from(
  JSON.stringify({
    resourceLogs: [
      {
        resource: { attributes: foreignJson },
        scopeLogs: [
          {
            scope: { name: c("scope") },
            logRecords: [
              {
                ...spanJson,
                eventName: "gen_ai.evaluation.result",
                body: value,
                severityText: c("s"),
                timeUnixNano: "17",
              },
              { ...spanJson, body: value, eventName: c("event") },
            ],
          },
        ],
      },
    ],
  }),
);
const metricsJson = Buffer.from(
  JSON.stringify({
    resourceMetrics: [
      {
        scopeMetrics: [
          {
            metrics: [
              { name: c("name"), sum: { dataPoints: [{ asInt: "1", attributes: foreignJson }] } },
            ],
          },
        ],
      },
    ],
  }),
);

const bodies: readonly (readonly [string, Pick<IngestBody, "signal" | "encoding">, Buffer])[] = [
  ["traces in protobuf", { signal: "traces", encoding: "protobuf" }, tracesProtobuf],
  ["traces in JSON", { signal: "traces", encoding: "json" }, tracesJson],
  ["logs in protobuf", { signal: "logs", encoding: "protobuf" }, logsProtobuf as Buffer],
  ["logs in JSON", { signal: "logs", encoding: "json" }, logsJson],
  ["metrics in JSON", { signal: "metrics", encoding: "json" }, metricsJson],
];

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
