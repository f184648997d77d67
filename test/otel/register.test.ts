/** @module Register: set-up with and without a provider of the application. */
import { context, propagation, trace } from "@opentelemetry/api";
import { register } from "@turnproof/exporter/register";
import type { ReadableSpanLike } from "@turnproof/exporter";
import { attribute, CodedError } from "@turnproof/semconv";
import { parseKeyring, keyedFingerprint, identityPurpose } from "@turnproof/semconv/fingerprint";
import { afterEach, describe, expect, test } from "vitest";

import { createProvider, installFolder, line } from "#sdk";

const chat = { [attribute.genai_operation.span]: "chat", [attribute.model.span]: "m" };
const secret = "a-secret-of-at-least-thirty-two-bytes";

function collecting() {
  const spans: ReadableSpanLike[] = [];
  return {
    spans,
    export(batch: ReadableSpanLike[], done: (answer: { code: number }) => void): void {
      spans.push(...batch);
      done({ code: 0 });
    },
    shutdown: async (): Promise<void> => {},
  };
}

afterEach(() => {
  trace.disable();
  context.disable();
  propagation.disable();
});

describe(`register on line ${line}`, () => {
  test("hands out a processor where the application has a provider of its own", async () => {
    const exporter = collecting();
    const { processor, ...rest } = register({
      exporter,
      provider: false,
      flushOnExit: false,
      variables: {},
    });
    expect(rest.installed).toBe(false);
    const provider = createProvider({ spanProcessors: [processor] });
    trace.setGlobalTracerProvider(provider);
    trace.getTracer("app").startSpan("x", { attributes: chat }).end();
    await rest.flush();
    expect(exporter.spans[0]?.name).toBe("chat m");
    const again = register({ exporter, flushOnExit: false, variables: {} });
    // Nothing reaches a processor that no provider has: a warning states it.
    expect(again).toMatchObject({ installed: false, problem: "provider_registered" });
    const off = { OTEL_SDK_DISABLED: "true" };
    const disabled = register({ exporter, flushOnExit: false, variables: off });
    expect(disabled).toMatchObject({ installed: false, problem: undefined });
  });

  test("keys identity under the key of the environment, and refuses to key without one", async () => {
    const exporter = collecting();
    const registration = register({
      exporter,
      provider: false,
      flushOnExit: false,
      keyed: ["user_id"],
      variables: { TURNPROOF_IDENTITY_KEY: secret },
    });
    const tracer = createProvider({ spanProcessors: [registration.processor] }).getTracer("app");
    tracer.startSpan("x", { attributes: { ...chat, "user.id": "u-1" } }).end();
    await registration.flush();
    const [key] = parseKeyring(secret);
    expect(exporter.spans[0]?.attributes["user.id"]).toBe(
      keyedFingerprint("u-1", { key, purpose: identityPurpose }),
    );
    const unkeyed = (): unknown => register({ exporter, keyed: ["user_id"], variables: {} });
    expect(unkeyed).toThrow(CodedError);
    expect(unkeyed).toThrow("TURNPROOF_IDENTITY_KEY");
  });

  test("a wrong variable is named, its value is not", () => {
    const wrong = (): unknown =>
      register({ provider: false, variables: { OTEL_BSP_MAX_QUEUE_SIZE: "CANARY" } });
    expect(wrong).toThrow("OTEL_BSP_MAX_QUEUE_SIZE");
    expect(wrong).not.toThrow("CANARY");
  });
});

describe(`register builds a provider of line ${line}`, () => {
  test("of the installed line, sampled as the environment says, evidence kept", async () => {
    const exporter = collecting();
    const registration = register({
      exporter,
      resolveFrom: installFolder,
      serviceName: "desk",
      flushOnExit: false,
      variables: { OTEL_TRACES_SAMPLER: "always_off" },
    });
    expect(registration).toMatchObject({ installed: true, problem: undefined });
    const tracer = trace.getTracer("app");
    tracer.startActiveSpan("turn", { attributes: chat }, (span) => {
      expect(trace.getActiveSpan()).toBe(span);
      const carrier: Record<string, string> = {};
      propagation.inject(context.active(), carrier);
      expect(carrier["traceparent"]).toContain(span.spanContext().traceId);
      tracer.startSpan("plain").end();
      span.end();
    });
    await registration.flush();
    const evidence = exporter.spans.filter((span) => span.name === "chat m");
    expect(evidence).toHaveLength(1);
    expect(evidence[0]?.resource.attributes).toMatchObject({ "service.name": "desk" });
    expect(exporter.spans.some((span) => span.name === "internal")).toBe(false);
    await registration.shutdown();
    expect(registration.health).toMatchObject({ created: 1, exported: 1, queued: 0 });
  });

  test("nothing where the SDK is switched off", () => {
    const registration = register({
      exporter: collecting(),
      flushOnExit: false,
      variables: { OTEL_SDK_DISABLED: "true" },
    });
    expect(registration.installed).toBe(false);
    expect(trace.getTracer("app").startSpan("x").isRecording()).toBe(false);
  });
});
