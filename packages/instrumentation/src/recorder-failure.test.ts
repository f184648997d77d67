/**
 * @module A sink that fails in any way never stops the host; the failure is reported by code and
 * count.
 */
import { context, diag, DiagLogLevel, ROOT_CONTEXT } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CodedError } from "@turnproof/semconv";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import type { EvidenceSink } from "./evidence-sink.ts";
import { ObservabilityRecorder } from "./recorder.ts";
import { TraceContext } from "./trace-context.ts";
import { withTurn } from "./turn.ts";

const spanContext = { traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 };
const identity = { agentId: "a", userId: null, threadId: "t", runId: "r", turnId: "u" };
const turn = new TraceContext(identity, spanContext);
const fails = (): never => {
  throw new Error("CANARY: the row says ann");
};
const open = (end: () => Promise<void>): EvidenceSink => ({
  start: (draft) => ({ spanContext, context: draft.parent, end }),
});

/** Each way in which a sink can fail. */
const sinks: readonly (readonly [way: string, sink: EvidenceSink])[] = [
  ["cannot begin", { start: fails }],
  ["throws at the end", open(fails)],
  ["rejects at the end", open(async () => fails())],
  ["rejects with a code", open(() => Promise.reject(new CodedError("store_unavailable")))],
];

const logged: string[] = [];
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const print = (text: string): void => void logged.push(text);
  const logger = { error: print, warn: print, info: print, debug: print, verbose: print };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
});
afterEach(() => void logged.splice(0));
afterAll(() => {
  context.disable();
  diag.disable();
});

describe.each(sinks)("a sink that %s", (_, sink) => {
  test("is counted and logged by code, and the host goes on", async () => {
    const recorder = new ObservabilityRecorder(sink, turn);
    await recorder.recordIntent("answer");
    const span = recorder.startSpan("notes.write");
    expect(span.run(() => "work")).toBe("work");
    await span.succeed();
    expect(recorder.health).toEqual({ recorded: 0, write_failures: 2, refused: 0 });
    expect(logged).toHaveLength(2);
    expect(logged.join()).toMatch(/write_failed|store_unavailable/);
    expect(logged.join()).not.toContain("CANARY");
  });

  test("does not stop a turn, whose parent stays the parent of what is nested", async () => {
    const seen = await withTurn({ agentId: "a", userId: null, threadId: "t", sink }, (own) =>
      own.modelCall({ model: "m" }, () => [own.traceContext.identity.threadId, own.health]),
    );
    expect(seen[0]).toBe("t");
    expect(seen[1]).toMatchObject({ recorded: 0, write_failures: 2 });
  });

  test("raises a code when the recorder is strict, at once or at the end", async () => {
    const recorder = new ObservabilityRecorder(sink, turn, { strict: true });
    const raised = await recorder.recordIntent("answer").catch((error: unknown) => error);
    expect(CodedError.is(raised)).toBe(true);
    expect(String(raised)).not.toContain("CANARY");
    const ended = (async () => recorder.startSpan("notes.write").succeed())();
    await expect(ended).rejects.toThrow(/write_failed|store_unavailable/);
    expect(recorder.health.write_failures).toBe(2);
  });

  test("says its code to the host's own log instead, where there is one", async () => {
    const own: string[] = [];
    const recorder = new ObservabilityRecorder(sink, turn, { log: (code) => own.push(code) });
    await recorder.recordDelivery("page");
    expect(own).toHaveLength(1);
    expect(own[0]).toMatch(/^[a-z_]+$/);
    expect(logged).toEqual([]);
  });
});

test("what the guard refuses at the end rejects, is counted, and leaves the span to be ended", async () => {
  const ended: string[] = [];
  const sink: EvidenceSink = {
    start: (draft) => ({
      spanContext,
      context: draft.parent,
      end: (result) => Promise.resolve(void ended.push(result.status)),
    }),
  };
  const recorder = new ObservabilityRecorder(sink, turn);
  const span = recorder.startSpan("notes.write");
  const refused = span.succeed({ facts: { "ann@example.com": 1 } });
  await expect(refused).rejects.toThrow("attribute_unknown");
  expect(recorder.health).toEqual({ recorded: 0, write_failures: 0, refused: 1 });
  await span.fail(new RangeError("CANARY"));
  await span.succeed();
  expect(ended).toEqual(["error"]);
  expect(TraceContext.active(ROOT_CONTEXT)).toBeUndefined();
});
