/**
 * @module An app as a process of its own whose every word is a mark: turns with memory of every
 * kind, a cache, tools that fail, a refusal, a stream that is left, feedback, and host evidence for
 * a verdict. Evidence goes by OTLP, memory by the environment; it prints what it did.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { Agent } from "@turnproof/agent";
import type { AgentTool, RunResult } from "@turnproof/agent";
import { register } from "@turnproof/exporter/register";
import { forWorker, ObservabilityRecorder, otelSink } from "@turnproof/instrumentation";

import { openMemory } from "../../apps/support-desk-memory/open-memory.ts";
import { startAnthropic } from "../../servers/anthropic.ts";
import { marks } from "./marks.ts";

/** What the process prints. */
export interface MarkedRun {
  readonly root: string;
  readonly task: string;
  readonly decisions: readonly string[];
  readonly statuses: readonly string[];
  readonly summaries: number;
  /** Code by which the recorder refused content in a field. */
  readonly refused: string;
}

const telemetry = register({ serviceName: "marked-desk" });
await using model = await startAnthropic({
  script: (requested, results) => {
    if (requested.includes("user: ")) return { text: `They asked for it. ${marks.summary}` };
    const calls = /parcel/.test(requested)
      ? [
          { name: "find_parcel", input: { code: marks.toolInput } },
          { name: "break_parcel", input: { code: marks.toolInput } },
        ]
      : // A tool that the model made up ends a turn in part, so the judged one has none.
        /Hello/.test(requested)
        ? [{ name: marks.toolName, input: {} }]
        : [];
    const tool = calls[results];
    return tool === undefined ? { text: `All is arranged. ${marks.answer}` } : { tool };
  },
});
const find: AgentTool<{ readonly code: string }> = {
  name: "find_parcel",
  description: `Finds a parcel ${marks.toolDescription}`,
  inputSchema: { type: "object", properties: { code: { type: "string" } } },
  readOnly: true,
  execute: ({ code }) => [{ code, note: marks.toolResult }],
};
const broken: AgentTool<object> = {
  name: "break_parcel",
  description: `Breaks a parcel ${marks.toolDescription}`,
  inputSchema: { type: "object" },
  execute: () => {
    throw new RangeError(`it broke ${marks.toolError}`);
  },
};
const memory = await openMemory(process.env);
const common = {
  model: createAnthropic({ baseURL: model.baseURL, apiKey: "test-key" })("claude-sonnet-4"),
  store: memory,
  agentId: "marked",
  applicationId: "marked-desk",
};
const agent = new Agent({
  ...common,
  instructions: `Be brief. ${marks.instructions}`,
  persona: "kind",
  tools: [find, broken],
  cache: {},
  summarize: { everyMessages: 4 },
  coverageProfile: "chat_response",
});

/** Everything that memory is given before a turn. */
async function furnish(userId: string): Promise<void> {
  const place = { userId, agentId: "marked", memoryId: "m1" };
  const { entities, conversation, shared } = agent.memory;
  await entities.remember(place, { name: "city", role: "profile", text: marks.profile });
  const odd = { name: `odd ${marks.attributeName}`, role: "profile", text: "x" } as const;
  await entities.remember(place, odd);
  await entities.remember(place, { name: "tone", role: "preference", text: marks.preference });
  const sample = { name: "mail", role: "writing_sample", text: marks.writingSample } as const;
  await entities.remember(place, sample);
  const facts = { deep: marks.facts };
  await entities.remember(place, { name: "dog", text: `the parcel dog ${marks.entity}`, facts });
  await conversation.append({ ...place, threadId: "old" }, [
    { role: "user", text: `where is my parcel ${marks.crossThread}` },
  ]);
  await shared.of("persona").put("kind", { instructions: marks.persona });
  await shared.of("shared_memory").put("all", { told: marks.sharedMemory });
  await shared.of("skill").put("skill_1", { told: marks.skill });
}

/** A turn that a foreign span full of content wraps, as an app's own tracing would. */
async function wrapped(request: () => Promise<RunResult>): Promise<RunResult> {
  const span = trace.getTracer("app").startSpan(`GET /${marks.spanName}`);
  span.setAttribute("app.note", marks.spanAttribute);
  span.setAttribute("gen_ai.input.messages", marks.spanAttribute);
  span.addEvent(marks.spanEvent, { "exception.message": marks.spanEvent });
  span.setStatus({ code: SpanStatusCode.ERROR, message: marks.spanStatus });
  const result = await context.with(trace.setSpan(context.active(), span), request);
  span.end();
  return result;
}

const ann = { userId: "ann", memoryId: "m1", threadId: "t1" };

/** The turn that is judged: streamed, with tools, context, provenance and a summary at its end. */
async function parcel(): Promise<RunResult> {
  await agent.run(`Hello there ${marks.history}`, ann);
  let result: RunResult | undefined;
  const stream = agent.runStream(`Where is my parcel? ${marks.query}`, {
    ...ann,
    context: { current_page: { type: "parcel", id: marks.context } },
    observabilityContext: {
      threadBindingStatus: "matched",
      groundingStatus: "ready",
      ownershipVerified: true,
      pageBody: marks.provenanceField,
    },
    eventCallback: () => {
      throw new Error(marks.callbackError);
    },
  });
  for await (const event of stream) if (event.type === "run.done") result = event.result;
  if (result === undefined) throw new Error("the turn gave no result");
  return result;
}

/** Host evidence over a turn, its job by carrier, and the code of a refused field. */
async function vouch(result: RunResult, taskId: string): Promise<string> {
  const source = {
    resourceType: "parcel",
    ref: "parcel_1",
    version: "2",
    role: "authoritative_current_source",
    ownershipVerified: true,
    provenanceStatus: "verified" as const,
  };
  const note = { resourceType: "note", ref: "note_1", version: "1", ownershipVerified: true };
  const recorder = agent.recorder(result.traceContext);
  await recorder.recordIntent("write_note", {
    taskId,
    expectedArtifactTypes: ["note"],
    requiredContracts: ["note_form"],
    inputRefs: [source],
  });
  const enqueue = recorder.startSpan("notes.enqueue", { taskId, inputRefs: [source] });
  const job = await forWorker(enqueue.toCarrier(), {
    sink: otelSink(),
    expected: { userId: "ann", threadId: "t1" },
  });
  const worker = new ObservabilityRecorder(otelSink(), job);
  const write = worker.startSpan("notes.write", { taskId, inputRefs: [source] });
  await write.succeed({ outputRefs: [note] });
  await enqueue.succeed();
  await worker.recordArtifact(note, {
    taskId,
    inputRefs: [source],
    producingSpanId: write.spanId,
    persistenceVerified: true,
  });
  await worker.contract("note_form", { required: true, taskId }).record({
    openingMarkerFound: true,
    closingMarkerFound: true,
    parserStatus: "success",
    recoveryUsed: false,
  });
  const delivered = { taskId, emitted: true, acknowledged: true, inputRefs: [note] };
  await recorder.recordDelivery("note_view", { ...delivered, contractName: "note_form" });
  const outcome = { traceContext: result.traceContext, verified: true, source: "host", taskId };
  await agent.recordTaskOutcome("success", outcome);
  const refused = (): string => {
    try {
      recorder.startSpan("odd", { attributes: { [marks.hostField]: marks.hostField } });
      return "accepted";
    } catch (error) {
      return (error as { code?: string }).code ?? "no code";
    }
  };
  return refused();
}

/** Turns around the judged one: a cache hit, a refusal, a stream that is left, no embedder. */
async function around(): Promise<{ decisions: string[]; statuses: string[] }> {
  const question = `When do you open on sundays? ${marks.query}`;
  const first = await agent.run(question, { ...ann, threadId: "t2" });
  const second = await wrapped(() => agent.run(question, { ...ann, threadId: "t3" }));
  const refusal = agent.run(`[refuse] ${marks.refused}`, { ...ann, userId: "ben" });
  const failed = await refusal.then(
    () => "resolved",
    () => "rejected",
  );
  for await (const event of agent.runStream(marks.query, { ...ann, threadId: "t4" })) {
    if (event.type === "answer.delta") break;
  }
  const wordless = new Agent({
    ...common,
    embedder: {
      provider: "x",
      modelId: "y",
      doEmbed: () => Promise.reject(new Error(marks.embedderError)),
    },
  });
  const visitor = await wordless.run(marks.query, { memoryId: "m1", threadId: "t5" });
  const { traceContext } = first;
  const host = agent.recorder(traceContext).span("render_answer", () => {
    throw new Error(marks.hostError);
  });
  const hosted = await host.then(
    () => "resolved",
    () => "rejected",
  );
  const comment = { traceContext, rating: -1, verified: true };
  await agent.recordFeedback({ ...comment, comment: marks.comment, includeComment: true });
  await agent.recordFeedback({ ...comment, comment: marks.hashedComment });
  return {
    decisions: [first, second].map(({ cache }) => cache.decision),
    statuses: [failed, visitor.status, hosted],
  };
}

for (const userId of ["ann", "ben"]) await furnish(userId);
const judged = await parcel();
const refused = await vouch(judged, "task_1");
const others = await around();
await telemetry.shutdown();
await memory.close();
const run: MarkedRun = {
  root: judged.traceContext.rootTraceId,
  task: "task_1",
  ...others,
  summaries: judged.persisted.summaries,
  refused,
};
console.log(JSON.stringify(run));
