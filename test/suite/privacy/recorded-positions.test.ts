/**
 * @module Every place where a host may pass a text to be recorded, filled with every known secret
 * in plain and in disguise: it throws a code without the text, or what is recorded does not hold
 * it.
 */
import { context, defaultTextMapSetter, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  CompositePropagator,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from "@opentelemetry/core";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { propagateTurn, receivedTurn, TurnPropagator } from "@turnproof/instrumentation";
import { CodedError } from "@turnproof/semconv";
import { afterAll, beforeAll, expect, test } from "vitest";

import { encodings } from "../semconv/corpus-encodings.ts";
import { publishedTokens } from "../semconv/corpus-published.ts";
import { drawer, seeded } from "../semconv/corpus-random.ts";
import { addresses, disguises, vendorTokens } from "../semconv/corpus-secrets.ts";
import { recordedPlaces } from "./recorded-places.ts";

const draw = drawer(seeded(77));
/** The stated exceptions: a version of four numbers, and digits alone where an id stands. */
const quad = /^\d+(?:(\.\d+){3}(:\d+)?)?$/;
const plain = [
  ...Object.values({ ...vendorTokens, ...publishedTokens }).map((make) => make(draw)),
  ...addresses.map(([, text]) => text),
].filter((text) => !quad.test(text));
const encoders = Object.values(encodings);
/** Each secret plain, and in two of its clothes, so that all clothes come up. */
const secrets = plain
  .flatMap((secret, at) => [
    secret,
    disguises(secret)[at % 8] ?? secret,
    (encoders[at % encoders.length] as (text: string) => string)(secret),
  ])
  .filter((text) => text.length >= 12);

const exporter = new InMemorySpanExporter();
beforeAll(() => {
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => {
  trace.disable();
  context.disable();
});

test.each(Object.entries(recordedPlaces))("%s", async (_place, attempt) => {
  const stated: string[] = [];
  for (const secret of secrets) {
    exporter.reset();
    let error = "";
    try {
      await attempt(secret);
    } catch (thrown) {
      // What a host itself throws is the host's; everything of ours has a code.
      error = CodedError.is(thrown) ? `${String(thrown)} ${JSON.stringify(thrown)}` : "";
    }
    const spans = exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status, links }) =>
        JSON.stringify([name, attributes, events, status, links]),
      );
    const out = [error, ...spans].join("\n");
    if (out.includes(secret) || out.includes(JSON.stringify(secret).slice(1, -1))) {
      stated.push(secret.slice(0, 40));
    }
  }
  expect(stated).toEqual([]);
});

test("hostile members of baggage and a trace state never become a turn", () => {
  const propagator = new CompositePropagator({
    propagators: [new W3CTraceContextPropagator(), new TurnPropagator(new W3CBaggagePropagator())],
  });
  const getter = {
    get: (carrier: Record<string, string>, key: string) => carrier[key],
    keys: (carrier: Record<string, string>) => Object.keys(carrier),
  };
  for (const secret of plain) {
    const value = encodeURIComponent(secret);
    const headers = {
      traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
      tracestate: `other=${secret.replaceAll(/[^A-Za-z0-9]/g, "")}`,
      baggage: `turnproof.user_id=${value},turnproof.thread_id=${value},turnproof.agent_id=a`,
    };
    const extracted = propagator.extract(ROOT_CONTEXT, headers, getter);
    expect(receivedTurn(extracted)).toBeUndefined();
    const sent: Record<string, string> = {};
    propagateTurn(() => propagator.inject(extracted, sent, defaultTextMapSetter));
    expect(sent["baggage"] ?? "").toBe("");
  }
});
