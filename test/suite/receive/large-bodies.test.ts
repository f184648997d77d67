/**
 * A body of more spans than fit one frame: every one of them is stored, part by part; a journal
 * that fails in the middle is answered with 503, and a retry leaves each span once.
 */
import { attribute, CodedError, increasingClock } from "@turnproof/semconv";
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { Conservation } from "../../../collector/src/receive/conservation.ts";
import { silentLog } from "../../../collector/src/log.ts";
import { createBodyThreads } from "../../../collector/src/receive/otlp/body-threads.ts";
import { ByteBudget } from "../../../collector/src/receive/otlp/byte-budget.ts";
import { decodeFrame } from "../../../collector/src/receive/otlp/frame-codec.ts";
import { createIntake } from "../../../collector/src/receive/otlp/intake.ts";
import { otlpRoutes } from "../../../collector/src/receive/otlp/receive.ts";
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import type { PlainSpan, PlainValue } from "../../otlp/encode.ts";
import { chat, identityKey, json, openHarness, protobuf } from "./harness.ts";

const spans = Array.from({ length: 50_001 }, (_, index) => chat(index + 1));
const request = traceRequest(spans);
const encoded = {
  protobuf: { body: encodeProtobuf(request), headers: protobuf },
  JSON: { body: Buffer.from(JSON.stringify(request)), headers: json },
};

test.each(Object.entries(encoded))("50,001 spans in %s are all stored", async (_, sent) => {
  const harness = await openHarness();
  const answer = await harness.post(sent.body, sent.headers);
  expect(answer.status).toBe(200);
  expect(answer.body.toString().replace("{}", "")).toBe("");
  await harness.receiver.idle();
  const { received, stored, balanced } = harness.receiver.conservation();
  expect({ received, stored, balanced }).toEqual({ received: 50_001, stored: 50_001, balanced });
  await harness.close();
});

test.each([
  ["protobuf", (spans: readonly PlainSpan[]) => encodeProtobuf(traceRequest(spans)), protobuf],
  ["JSON", (spans: readonly PlainSpan[]) => JSON.stringify(traceRequest(spans)), json],
] as const)(
  "a rich span in %s keeps what is known and costs nothing else",
  async (_, encode, headers) => {
    const harness = await openHarness();
    const foreign = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`app.field.${index}`, index]),
    );
    const deep: PlainValue = Array.from({ length: 40 }).reduce<PlainValue>(
      (inside) => [inside],
      "x",
    );
    const rich = chat(1, { ...foreign, "app.deep": deep, [attribute.input_tokens.span]: 42 });
    const answer = await harness.post(encode([chat(2), rich, chat(3)]), headers);
    expect(answer.status).toBe(200);
    const events = await harness.events();
    expect(events).toHaveLength(3);
    const kept = events.find((event) => event.span_id === rich.spanId);
    expect(kept?.attributes["input_tokens"]).toBe(42);
    expect(kept?.dropped?.["attribute_unknown"]).toBe(5_001);
    expect(harness.receiver.conservation().dropped_attributes["attribute_unknown"]).toBe(5_001);
    await harness.close();
  },
);

/** Routes over a journal that a test holds in its hand. */
function overJournal(threads: number, append: (payload: Uint8Array) => Promise<unknown>) {
  const none = { recovered: 0, pending: 0, stored: 0, quarantined: 0, lost: 0 };
  const processor = createBodyThreads({ settings: { identityKey }, threads });
  const budget = new ByteBudget(2 ** 25);
  const intake = createIntake({
    authenticateIngest: () => ({ name: "local", trusted: true }),
    journal: { append: ({ payload }) => append(payload).then(() => ({ sequence: 1 })) },
    conservation: new Conservation(() => none),
    processor,
    budget,
    clock: increasingClock(),
    log: silentLog,
  });
  const routes = otlpRoutes(intake);
  const post = async (): Promise<Response> => {
    const body = encoded.protobuf.body as Uint8Array<ArrayBuffer>;
    return routes.request("/v1/traces", { method: "POST", headers: protobuf, body });
  };
  return { post, budget, processor };
}

test.each([0, 1])("a journal that fails in the middle, with %i threads", async (threads) => {
  const kept: TurnEvent[] = [];
  let appends = 0;
  const { budget, post, processor } = overJournal(threads, async (payload) => {
    appends++;
    if (appends === 2) throw new CodedError("journal_full");
    kept.push(...decodeFrame(payload));
  });
  expect((await post()).status).toBe(503);
  expect(appends).toBe(2);
  expect((await post()).status).toBe(200);
  expect(appends).toBeGreaterThan(4);
  const ids = kept.map((event) => event.event_id);
  expect(new Set(ids).size).toBe(50_001);
  expect(ids.length).toBeGreaterThan(50_001);
  expect(budget.used).toBe(0);
  await processor.close();
});

test("a thread makes no part before the one before is durable, and can be ended then", async () => {
  let appends = 0;
  const held = Promise.withResolvers<void>();
  const { post, processor } = overJournal(1, () => {
    appends++;
    return held.promise;
  });
  const answer = post();
  while (appends === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(appends).toBe(1);
  await processor.close();
  expect((await answer).status).toBe(503);
});
