/**
 * The routes by OTLP's rules: encodings, partial success, retryable and permanent, principals and
 * their bounds, the three signals, duplicates (vocabulary: From a span to an event; collector:
 * Receive).
 */
import { gzipSync } from "node:zlib";

import { attribute } from "@turnproof/semconv";
import protobufjs from "protobufjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { chat, json, openHarness, protobuf } from "./harness.ts";
import type { Harness } from "./harness.ts";
import {
  bytes,
  number,
  pair,
  request,
  span,
  spanId,
  text,
  textPair,
  traceId,
} from "./wire-writer.ts";

const status = protobufjs.parse(`syntax = "proto3";
  message Status { int32 code = 1; string message = 2; }
  message Partial { int64 rejected = 1; string message = 2; }
  message Response { Partial partial_success = 1; }`).root;

const byText = (a: unknown, b: unknown): number => (`${a as string}` < `${b as string}` ? -1 : 1);

const byEventId = (a: { readonly event_id: string }, b: { readonly event_id: string }): number =>
  a.event_id < b.event_id ? -1 : 1;

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

describe("answers", () => {
  test("in the request's own media type", async () => {
    const good = traceRequest([chat(1)]);
    const asProtobuf = await harness.post(encodeProtobuf(good));
    expect(asProtobuf).toMatchObject({ status: 200, type: "application/x-protobuf" });
    expect(asProtobuf.body).toHaveLength(0);
    const asJson = await harness.post(JSON.stringify(good), {
      "content-type": "application/json; charset=utf-8",
    });
    expect(asJson).toMatchObject({ status: 200, type: "application/json" });
    expect(asJson.body.toString()).toBe("{}");
  });

  test("an error is a google.rpc.Status that any client can read", async () => {
    const asProtobuf = await harness.post("xyz");
    const read = status.lookupType("Status").decode(asProtobuf.body);
    expect(asProtobuf.status).toBe(400);
    expect(read.toJSON()).toMatchObject({ code: 3, message: expect.stringMatching(/^otlp_/) });
    const asJson = await harness.post("{", json);
    expect(JSON.parse(asJson.body.toString())).toMatchObject({ code: 3 });
  });

  test("a partial success counts, and says why", async () => {
    const answer = await harness.post(request(bytes(2), span()));
    const read = status.lookupType("Response").decode(answer.body).toJSON();
    expect(read).toEqual({
      partialSuccess: { rejected: "1", message: expect.stringMatching(/^span_id_invalid 1: /) },
    });
  });

  test.each(["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])("%s is 405", async (method) => {
    const answer = await fetch(`${harness.server.url}/v1/traces`, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST");
  });

  test.each([
    "text/plain",
    "application/octet-stream",
    "application/json; charset=latin1",
    "application/x-protobuf-x",
    "multipart/form-data; boundary=x",
    "",
  ])("%j is 415", async (type) => {
    const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
    expect((await harness.post(new Uint8Array([1]), headers)).status).toBe(415);
  });
});

describe("the three signals", () => {
  test("metrics: every point is rejected, so that nobody retries", async () => {
    const points = (field: number, count: number): Uint8Array =>
      bytes(2, text(1, "m"), bytes(field, ...Array.from({ length: count }, () => bytes(1))));
    const body = bytes(1, bytes(2, points(5, 3), points(7, 2), points(9, 1), points(11, 4)));
    const answer = await harness.post(body, protobuf, "/v1/metrics");
    const read = status.lookupType("Response").decode(answer.body).toJSON();
    expect(answer.status).toBe(200);
    expect(read).toMatchObject({ partialSuccess: { rejected: "10" } });
    const plain = {
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ gauge: { dataPoints: [{}, {}] } }] }] }],
    };
    const inJson = await harness.post(JSON.stringify(plain), json, "/v1/metrics");
    expect(JSON.parse(inJson.body.toString())).toMatchObject({
      partialSuccess: { rejectedDataPoints: "2" },
    });
  });

  test("logs: an evaluation becomes feedback on its span, anything else is rejected", async () => {
    const fresh = await openHarness();
    const record = (name: string): Uint8Array =>
      bytes(
        2,
        number(2, 9),
        bytes(5, text(1, "a body that nobody reads")),
        textPair(6, attribute.evaluation_name.span, "helpfulness"),
        pair(6, attribute.score.span, [0x21, ...new Uint8Array(new Float64Array([0.75]).buffer)]),
        bytes(9, traceId),
        bytes(10, spanId),
        text(12, name),
      );
    const body = bytes(1, bytes(2, record("gen_ai.evaluation.result"), record("something.else")));
    const first = await fresh.post(body, protobuf, "/v1/logs");
    expect(status.lookupType("Response").decode(first.body).toJSON()).toMatchObject({
      partialSuccess: { rejected: "1", message: expect.stringMatching(/^log_not_evidence 1/) },
    });
    await fresh.post(body, protobuf, "/v1/logs");
    const plain = {
      resourceLogs: [
        {
          scopeLogs: [
            {
              logRecords: [
                {
                  traceId: Buffer.from(traceId).toString("hex"),
                  spanId: Buffer.from(spanId).toString("hex"),
                  attributes: [
                    { key: "event.name", value: { stringValue: "gen_ai.evaluation.result" } },
                    { key: attribute.evaluation_name.span, value: { stringValue: "tone" } },
                  ],
                },
              ],
            },
          ],
        },
      ],
    };
    expect((await fresh.post(JSON.stringify(plain), json, "/v1/logs")).body.toString()).toBe("{}");
    const events = await fresh.events();
    expect(events.map((event) => event.attributes.evaluation_name).toSorted(byText)).toEqual([
      "helpfulness",
      "tone",
    ]);
    expect(events.find((event) => event.attributes.score === 0.75)).toMatchObject({
      event_kind: "feedback",
      phase: "event",
      parent_span_id: Buffer.from(spanId).toString("hex"),
      root_trace_id: Buffer.from(traceId).toString("hex"),
    });
    await fresh.close();
  });
});

test("the same spans sent whole, one by one, twice, in either encoding, give the same events", async () => {
  const spans = Array.from({ length: 20 }, (_, index) =>
    chat(index + 100, { "gen_ai.usage.input_tokens": index }),
  );
  const whole = await openHarness();
  await whole.post(encodeProtobuf(traceRequest(spans)));
  const scattered = await openHarness();
  for (const one of [...spans, ...spans].toReversed()) {
    await scattered.post(JSON.stringify(traceRequest([one])), json);
  }
  await scattered.post(gzipSync(encodeProtobuf(traceRequest(spans))), {
    ...protobuf,
    "content-encoding": "gzip",
  });
  const bare = async (from: Harness): Promise<unknown[]> =>
    (await from.events())
      .map((event) => ({ ...event, received_at: "" }))
      .toSorted((a, b) => (a.event_id < b.event_id ? -1 : 1));
  const expected = await bare(whole);
  expect(expected).toHaveLength(20);
  expect(await bare(scattered)).toEqual(expected);
  await whole.close();
  await scattered.close();
});

test("a thread makes of a large body what the event loop makes of it", async () => {
  const email = {
    [attribute.user_id.span]: "somebody@example.com",
    "foreign.text": "x".repeat(600),
  };
  const spans = Array.from({ length: 600 }, (_, index) => chat(index + 1, email));
  const body = encodeProtobuf(traceRequest(spans));
  expect(body.byteLength).toBeGreaterThan(262_144);
  const seen: unknown[] = [];
  for (const threads of [0, 1]) {
    const fresh = await openHarness({ receiver: { threads } });
    const zipped = { ...protobuf, "content-encoding": "gzip" };
    expect((await fresh.post(body)).status).toBe(200);
    expect((await fresh.post(gzipSync(body), zipped)).status).toBe(200);
    expect((await fresh.post(Buffer.concat([body, Buffer.from([7])]))).status).toBe(400);
    const events = await fresh.events();
    expect(events).toHaveLength(600);
    expect(JSON.stringify(events)).not.toContain("somebody@");
    expect(events[0]?.user_id).toMatch(/^k1_/);
    seen.push(events.map((event) => ({ ...event, received_at: "" })).toSorted(byEventId));
    await fresh.close();
  }
  expect(seen[0]).toEqual(seen[1]);
});

test("times are exact to the nanosecond and received times never repeat", async () => {
  const fresh = await openHarness();
  const span = {
    ...chat(7),
    startTimeUnixNano: "1790000000123456789",
    endTimeUnixNano: "1790000001000000001",
  };
  const plain = JSON.stringify(traceRequest([span]));
  const asNumber = plain
    .replaceAll(/"(\d{19})"/g, "$1")
    .replace("0000000000000007", "0000000000000008");
  await fresh.post(plain, json);
  await fresh.post(asNumber, json);
  const events = await fresh.events();
  expect(events).toHaveLength(2);
  for (const event of events) {
    expect(event.started_at).toMatch(/\.123456789Z$/);
    expect(event.timestamp).toMatch(/\.000000001Z$/);
    expect(event.received_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  }
  expect(new Set(events.map((event) => event.received_at)).size).toBe(2);
  await fresh.close();
});
