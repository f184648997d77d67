/**
 * @module Canary bodies: OTLP requests with a canary in every place where one can hold a text that
 * is not allowlisted.
 */
import type { IngestBody } from "../../../collector/src/receive/otlp/ingest-body.ts";
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

/** A request: its name, its form, its bytes. */
export type CanaryBody = readonly [string, Pick<IngestBody, "signal" | "encoding">, Buffer];

/** What each span has besides; by default there is one span that has nothing. */
interface SpansOf {
  readonly protobuf?: readonly Uint8Array[];
  readonly json?: readonly object[];
}

/** Requests of all signals with this canary. */
export function canaryBodies(
  canary: string,
  { protobuf: spans = [new Uint8Array()], json: jsonSpans = [{}] }: SpansOf = {},
): readonly CanaryBody[] {
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

  const foreignSpan = (more: Uint8Array): Uint8Array =>
    bytes(
      2,
      ...spanBasics,
      more,
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
        ...spans.map(foreignSpan),
        text(3, c("scope schema url")),
        unknown,
      ),
      // A scope whose name only begins like one of ours.
      bytes(
        2,
        bytes(1, text(1, `@traceloop/${canary}`), text(2, c("version"))),
        ...spans.map(foreignSpan),
      ),
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
    links: [
      { traceId: c("trace"), spanId: c("span"), traceState: c("s"), attributes: foreignJson },
    ],
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
              spans: jsonSpans.map((more) => ({ ...spanJson, ...more })),
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

  return [
    ["traces in protobuf", { signal: "traces", encoding: "protobuf" }, tracesProtobuf],
    ["traces in JSON", { signal: "traces", encoding: "json" }, tracesJson],
    ["logs in protobuf", { signal: "logs", encoding: "protobuf" }, logsProtobuf as Buffer],
    ["logs in JSON", { signal: "logs", encoding: "json" }, logsJson],
    ["metrics in JSON", { signal: "metrics", encoding: "json" }, metricsJson],
  ];
}
