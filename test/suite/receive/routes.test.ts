/**
 * The routes by OTLP's rules: encodings, partial success, retryable and permanent, principals and
 * their bounds, the three signals, duplicates (design 3.8, 6.1).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";

import { attribute } from "@turnproof/semconv";
import { CodedError } from "@turnproof/semconv";
import protobufjs from "protobufjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import type { PlainSpan } from "../../otlp/encode.ts";
import { Conservation } from "../../../collector/src/conservation.ts";
import { silentLog } from "../../../collector/src/log.ts";
import { createBodyThreads } from "../../../collector/src/otlp/body-threads.ts";
import { ByteBudget } from "../../../collector/src/otlp/byte-budget.ts";
import { otlpRoutes } from "../../../collector/src/otlp/receive.ts";
import { createReceivedClock } from "../../../collector/src/otlp/received-clock.ts";
import { identityKey, json, openHarness, protobuf } from "./harness.ts";
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

/** The routes over a journal of the test's own making. */
function bareRoutes(append: () => Promise<unknown>) {
  const conservation = new Conservation(() => ({
    recovered: 0,
    pending: 0,
    stored: 0,
    quarantined: 0,
  }));
  const routes = otlpRoutes({
    authenticateIngest: () => ({ name: "local", trusted: true }),
    journal: { append },
    conservation,
    processor: createBodyThreads({ settings: { identityKey }, threads: 0 }),
    budget: new ByteBudget(2 ** 20),
    clock: createReceivedClock(),
    log: silentLog,
  });
  return { conservation, routes };
}

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const chat = (id: number, more: PlainSpan["attributes"] = {}): PlainSpan => ({
  traceId: "1".padStart(32, "0"),
  spanId: id.toString(16).padStart(16, "0"),
  name: "chat",
  startTimeUnixNano: "1790000000000000001",
  endTimeUnixNano: "1790000000000000003",
  attributes: { [attribute.genai_operation.span]: "chat", ...more },
});

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

describe("principals", () => {
  const tokens = [
    { name: "shop", token: "shop-token-0123456789", applicationId: "shop" },
    { name: "any", token: "any-token-01234567890" },
  ];
  const of = (service: string): Uint8Array =>
    encodeProtobuf(traceRequest([chat(1)], service === "" ? {} : { "service.name": service }));
  const as = (token: string): Record<string, string> => ({
    ...protobuf,
    authorization: `Bearer ${token}`,
  });

  test("nobody comes in without a token, by whatever header", async () => {
    const fresh = await openHarness({ tokens });
    const basic = Buffer.from("shop:shop-token-0123456789").toString("base64");
    const wrong = [
      {},
      as("wrong-token-0123456789"),
      { authorization: "Bearer" },
      { authorization: "Basic !!" },
    ];
    for (const headers of wrong) {
      const answer = await fresh.post(of("shop"), { ...protobuf, ...headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
    const right = [
      as("shop-token-0123456789"),
      { authorization: `Basic ${basic}` },
      { "x-turnproof-token": "shop-token-0123456789" },
    ];
    for (const headers of right) {
      expect((await fresh.post(of("shop"), { ...protobuf, ...headers })).status).toBe(200);
    }
    expect((await fresh.events())[0]?.ingest_principal).toBe("shop");
    await fresh.close();
  });

  test("a bound token writes for its application and no other", async () => {
    const fresh = await openHarness({ tokens });
    const foreign = await fresh.post(of("bank"), as("shop-token-0123456789"));
    expect(status.lookupType("Response").decode(foreign.body).toJSON()).toMatchObject({
      partialSuccess: {
        rejected: "1",
        message: expect.stringMatching(/^span_application_foreign/),
      },
    });
    expect(await fresh.events()).toEqual([]);
    await fresh.post(of(""), as("shop-token-0123456789"));
    expect((await fresh.events()).map((event) => event.application_id)).toEqual(["shop"]);
    await fresh.close();
  });

  test("two producers of the same ids do not replace each other's events", async () => {
    const fresh = await openHarness({ tokens });
    await fresh.post(of("shop"), as("shop-token-0123456789"));
    await fresh.post(of("shop"), as("any-token-01234567890"));
    expect((await fresh.events()).map((event) => event.ingest_principal).toSorted(byText)).toEqual([
      "any",
      "shop",
    ]);
    await fresh.close();
  });
});

describe("when it does not go on", () => {
  test("the answer waits for the journal, and a failed append is no answer of success", async () => {
    const held: PromiseWithResolvers<unknown>[] = [];
    const { conservation, routes } = bareRoutes(() => {
      const append = Promise.withResolvers<unknown>();
      held.push(append);
      return append.promise;
    });
    const send = (): Promise<Response> => {
      const body = encodeProtobuf(traceRequest([chat(1), chat(2)])) as Uint8Array<ArrayBuffer>;
      return Promise.resolve(
        routes.request("/v1/traces", { method: "POST", headers: protobuf, body }),
      );
    };
    let answered = 0;
    const [first, second] = [send(), send()].map((answer) => answer.finally(() => answered++));
    while (held.length < 2) await sleep(5);
    await sleep(50);
    expect(answered).toBe(0);
    expect(conservation.snapshot()).toMatchObject({ received: 4, in_flight: 4, balanced: true });
    held[0]?.resolve({ sequence: 1 });
    held[1]?.reject(new CodedError("journal_failed"));
    expect((await first)?.status).toBe(200);
    expect((await second)?.status).toBe(503);
    expect(conservation.snapshot()).toMatchObject({ refused_reasons: { journal_failed: 2 } });
  });

  test("a full journal is retryable, counted, and heals", async () => {
    const away = { down: true };
    const fresh = await openHarness({
      receiver: { journalBytesMax: 300_000 },
      store: {
        append: () =>
          away.down ? Promise.reject(new CodedError("store_unavailable")) : Promise.resolve(),
        readBack: async () => ({ rows: 1_000_000, complete: true }),
      },
    });
    const body = encodeProtobuf(
      traceRequest(Array.from({ length: 200 }, (_, index) => chat(index + 1))),
    );
    let answer = await fresh.post(body);
    for (let round = 0; answer.status === 200 && round < 50; round++)
      answer = await fresh.post(body);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    const full = fresh.receiver.conservation();
    expect(full).toMatchObject({
      balanced: true,
      refused: 200,
      refused_reasons: { journal_full: 200 },
    });
    expect(full.pending).toBe(full.received - 200);
    away.down = false;
    await fresh.receiver.idle();
    expect((await fresh.post(body)).status).toBe(200);
    await fresh.close();
  });

  test("what was not drained is there after a restart, and is counted", async () => {
    const refuse = (): Promise<never> => Promise.reject(new CodedError("store_unavailable"));
    const first = await openHarness({ store: { append: refuse, readBack: refuse } });
    await first.post(encodeProtobuf(traceRequest([chat(1), chat(2)])));
    expect(first.receiver.conservation()).toMatchObject({ received: 2, pending: 2, stored: 0 });
    await first.server.close(1_000);
    await first.receiver.close(0);
    const second = await openHarness({ receiver: { directory: `${first.directory}/journal` } });
    expect(await second.events()).toHaveLength(2);
    expect(second.receiver.conservation()).toMatchObject({
      recovered: 2,
      received: 0,
      stored: 2,
      balanced: true,
    });
    await second.close();
  });

  test("switched off, it says so, and that one may come again", async () => {
    const fresh = await openHarness({ receiver: { enabled: false } });
    const answer = await fresh.post(encodeProtobuf(traceRequest([chat(1)])));
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).not.toBeNull();
    await fresh.close();
  });
});
