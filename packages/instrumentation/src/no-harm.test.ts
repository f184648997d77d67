/**
 * @module No harm: invalid input of a host never stops the host. It is left out, counted, reported
 * once in the turn's own evidence, and thrown only in strict mode.
 */
import { context, diag, DiagLogLevel, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { attribute, CodedError } from "@turnproof/semconv";
import { nameDigest } from "@turnproof/semconv/name-key";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { otelSink, TraceContext, turnFetch, withTurn } from "./index.ts";
import type { Turn, TurnOptions } from "./index.ts";

const exporter = new InMemorySpanExporter();
const identity = { agentId: "helper", userId: "user_1", threadId: "thread_1" };
const mail = "ann@example.com";
const spans = (): ReadableSpan[] => exporter.getFinishedSpans();
const stated = (name: string): unknown[] => spans().flatMap((s) => s.attributes[name] ?? []);
const codes = (): unknown[] => stated(attribute.quality_code.span);
let logged: string[] = [];

beforeAll(() => {
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  // It is refused where another file of this worker left its own.
  expect(trace.setGlobalTracerProvider(provider)).toBe(true);
  const warn = (...text: unknown[]): number => logged.push(text.join(" "));
  const log = { error: warn, warn, info() {}, debug() {}, verbose() {} };
  diag.setLogger(log, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
});
beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  exporter.reset();
  logged = [];
});
afterAll(() => {
  trace.disable();
  context.disable();
  diag.disable();
});

/** The turn, and what its function returned. */
async function turnOf(options: unknown): Promise<Turn> {
  return withTurn(options as TurnOptions, (turn) => turn);
}

test("a turn of no options at all runs its function", async () => {
  for (const options of [undefined, null, {}]) {
    expect(await withTurn(options as TurnOptions, () => 1)).toBe(1);
  }
});

describe("a turn whose identity is refused", () => {
  test("of a user: unattributed and never anonymous, counted, and said once", async () => {
    for (const userId of [mail, "", 42, {}]) {
      exporter.reset();
      const { health, traceContext } = await turnOf({ ...identity, userId });
      expect(health.refused).toBe(1);
      expect(traceContext.identity).not.toHaveProperty("userId");
      expect(stated(attribute.scope.span)).toEqual([]);
      expect(stated(attribute.user_id.span)).toEqual([]);
      expect(codes()).toEqual(["identity_refused"]);
      // Recorded on the turn itself, so that every reader of the turn finds it.
      expect(new Set(stated(attribute.turn_id.span)).size).toBe(1);
    }
    expect(logged[0]).toBe("turnproof: identity_refused (userId)");
    expect(logged.join()).not.toContain("ann");
  });

  test("of a thread or agent: goes on under an id of its own, two of them stay two", async () => {
    const turns = await Promise.all(
      [mail, mail, "bob@example.com", undefined, undefined].map((threadId) =>
        turnOf({ ...identity, threadId }),
      ),
    );
    const threads = turns.map(({ traceContext }) => traceContext.identity.threadId);
    expect(threads[0]).toBe(threads[1]);
    expect(new Set(threads).size).toBe(4);
    expect(threads.join()).not.toContain("@");
    const agents = await Promise.all(
      [mail, "https://x.example/a", undefined].map((agentId) => turnOf({ ...identity, agentId })),
    );
    expect(new Set(agents.map(({ traceContext }) => traceContext.identity.agentId)).size).toBe(3);
    expect(JSON.stringify(spans().map(({ name, attributes }) => [name, attributes]))).not.toContain(
      "example",
    );
  });

  test("of a user, inside another's turn: has a root of its own", async () => {
    await withTurn(identity, async (outer) => {
      const inner = await turnOf({ ...identity, userId: mail });
      expect(inner.traceContext.rootTraceId).not.toBe(outer.traceContext.rootTraceId);
    });
  });

  test("a carrier of it is whole", async () => {
    const { traceContext } = await turnOf({ userId: mail, threadId: "a b@c.de" });
    const read = TraceContext.fromCarrier(traceContext.toCarrier());
    expect(read.identity).toEqual(traceContext.identity);
  });

  test("strict: it throws, and nothing is recorded", async () => {
    const strict = (): unknown => withTurn({ ...identity, userId: mail, strict: true }, () => 1);
    expect(strict).toThrow(CodedError);
    expect(strict).toThrow("identity_not_opaque");
    expect(spans()).toEqual([]);
  });

  test("of a getter that throws: it is left out and counted, and strict throws", async () => {
    const fields = `applicationId agentId userId memoryId threadId runId turnId agentName
      coverageProfile sink fingerprint log strict`.split(/\s+/);
    for (const field of fields) {
      exporter.reset();
      const boom = Object.defineProperty({ ...identity }, field, {
        get: () => {
          throw new Error("boom");
        },
      });
      const { health, traceContext } = await turnOf(boom);
      expect([field, codes(), health.refused]).toEqual([field, [expect.any(String)], 1]);
      expect("userId" in traceContext.identity).toBe(field !== "userId");
      if (field === "strict") continue;
      const strict = Object.defineProperty(boom, "strict", { value: true });
      expect(() => withTurn(strict as TurnOptions, () => 1)).toThrow("boom");
    }
  });

  test("no options at all keep a host's function from running", async () => {
    const anything = fc.anything({ withNullPrototype: true });
    const options = fc.record(
      {
        agentId: anything,
        userId: anything,
        threadId: anything,
        memoryId: anything,
        applicationId: anything,
        runId: anything,
        turnId: anything,
        agentName: anything,
        coverageProfile: anything,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(options, async (given) => {
        const ran = await withTurn({ ...given, log() {} } as never, async (turn) => {
          await turn.toolCall({ name: given.agentName as string }, (call) =>
            call.result({ outcome: "success" }),
          );
          await turn.modelCall({ model: given.threadId as string }, (call) =>
            call.respond({ finishReason: given.runId as never }),
          );
          return "ran";
        });
        expect(ran).toBe("ran");
      }),
      { numRuns: 300 },
    );
  });
});

describe("what a turn's steps say", () => {
  test("is left out where it is refused, with its name, and the step goes on", async () => {
    const result = await withTurn({ ...identity, agentName: `Ask ${mail}` }, async (turn) => {
      await turn.modelCall({ model: `gpt for ${mail}` }, (call) =>
        call.respond({ finishReason: mail }),
      );
      await turn.learned({ event: mail as never });
      await turn.bindContext({ clientPageId: mail });
      return turn.toolCall({ name: `find ${mail}` }, async (call) => {
        await call.result({ outcome: "success" });
        return "found";
      });
    });
    expect(result).toBe("found");
    const names = spans().map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["invoke_agent", "chat", "execute_tool", "turnproof.learning"]),
    );
    expect(JSON.stringify(spans().map(({ name, attributes }) => [name, attributes]))).not.toContain(
      "ann",
    );
    expect(codes()).toEqual(["invalid_metadata"]);
  });

  test("of a getter that throws is left out, and the step goes on", async () => {
    const boom = (field: string): never =>
      Object.defineProperty({}, field, {
        get() {
          throw new Error("boom");
        },
      }) as never;
    const ran = await withTurn(identity, async (turn) => {
      await turn.modelCall(boom("model"), (call) => call.respond({ finishReason: "stop" }));
      await turn.memoryOperation(boom("operation"), () => undefined);
      await turn.toolCall(boom("name"), (call) => call.result({ outcome: "success" }));
      expect(turn.health.refused).toBe(3);
      return turn.toolCall(undefined as never, () => "ran");
    });
    expect(ran).toBe("ran");
    expect(codes()).toEqual(["record_invalid"]);
  });

  test("names an agent or a tool by its digest where its name is refused", async () => {
    const names = ["Who is paid how much?", "Who is paid how little?", "Who is paid how much?"];
    const agents: string[] = [];
    for (const name of names) {
      await withTurn({ ...identity, agentId: name }, async (turn) => {
        agents.push(turn.traceContext.identity.agentId);
        await turn.toolCall({ name }, (call) => call.result({ outcome: "success" }));
      });
    }
    // The same in every process: the gate and the collector derive it from the name alike.
    expect(agents).toEqual(names.map((name) => nameDigest(name)));
    const tools = spans().flatMap(({ attributes }) => attributes["gen_ai.tool.name"] ?? []);
    expect(tools).toEqual(agents);
  });

  test("recorder metadata and carriers raise all the same", async () => {
    await withTurn(identity, async (turn) => {
      const recorder = turn.recorder();
      expect(() => recorder.startSpan("notes.write", { attributes: { model: mail } })).toThrow(
        CodedError,
      );
      await expect(
        recorder.recordIntent("notes", { expectedArtifactTypes: [mail] }),
      ).rejects.toThrow("expected_artifact_types");
    });
    expect(() => TraceContext.fromCarrier({ traceparent: "x" })).toThrow(
      "carrier_invalid_traceparent",
    );
  });
});

describe("without a context manager", () => {
  test("spans keep their parents, across what they wait for", async () => {
    context.disable();
    await withTurn(identity, async (turn) => {
      const recorder = turn.recorder();
      await recorder.span("outer", async () => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        await recorder.span("inner", () => turn.toolCall({ name: "lookup" }, () => undefined));
      });
      await Promise.all(
        [1, 2].map((n) =>
          recorder.span(`side.${n}`, () => new Promise((resolve) => setTimeout(resolve, n))),
        ),
      );
    });
    const at = (name: string): ReadableSpan => spans().find((span) => span.name === name)!;
    const parentOf = (name: string): string | undefined => at(name).parentSpanContext?.spanId;
    expect(parentOf("execute_tool lookup")).toBe(at("inner").spanContext().spanId);
    expect(parentOf("inner")).toBe(at("outer").spanContext().spanId);
    for (const name of ["outer", "side.1", "side.2"]) {
      expect(parentOf(name)).toBe(at("invoke_agent helper").spanContext().spanId);
    }
    expect(codes()).toEqual([]);
  });

  test("a runtime that cannot keep them says so once, and a parent can be given", async () => {
    context.disable();
    const slot = Symbol.for("turnproof.active-context");
    const place = globalThis as { [slot]?: unknown };
    const before = place[slot];
    place[slot] = null;
    try {
      await withTurn(identity, async (turn) => {
        const recorder = turn.recorder({ log: (code) => void logged.push(code) });
        const outer = recorder.startSpan("outer");
        await recorder.startSpan("inner", { parent: outer }).succeed();
        await outer.succeed();
      });
    } finally {
      place[slot] = before;
    }
    const [inner, outer] = spans().filter(({ name }) => /^(inner|outer)$/.test(name));
    expect(inner?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
    expect(codes()).toEqual(["context_manager_missing"]);
    expect(logged).toEqual(["context_manager_missing"]);
  });
});

test("turnFetch rejects as fetch does, and leaves alone what is not for its hosts", async () => {
  const requested: unknown[] = [];
  const send = turnFetch({
    allow: ["jobs.internal"],
    fetch: (...given) => {
      requested.push(given);
      return Promise.resolve(new Response());
    },
  });
  const body = { method: "POST", body: "x" };
  await send("https://elsewhere.example/", body);
  await send("/relative", body);
  expect(requested).toEqual([
    ["https://elsewhere.example/", body],
    ["/relative", body],
  ]);
  const bad = send("https://jobs.internal/", { method: "GET", body: "x" });
  await expect(bad).rejects.toThrow(TypeError);
});

test("a log of the host that throws does not reach it", async () => {
  const log = (): never => {
    throw new Error("the host's log");
  };
  await expect(
    withTurn({ ...identity, userId: mail, log, sink: otelSink() }, () => 1),
  ).resolves.toBe(1);
});
