/**
 * @module A morning at the desk with our agent and memory: history, profile, cache, tools, a refund
 * that a worker process finishes by carrier, feedback, a broken promise.
 * `OTEL_EXPORTER_OTLP_ENDPOINT` sets where evidence goes; the model is a scripted one unless
 * `MODEL_BASE_URL` names another; memory is in the process unless a variable sets where to keep it
 * (see `open-memory.ts`).
 */
import { register } from "@turnproof/exporter/register";
import type { Agent, RunResult } from "@turnproof/agent";
import type { ResourceRef } from "@turnproof/instrumentation";
import { ephemeralMemory } from "@turnproof/store";
import type { MemoryStore } from "@turnproof/store";

import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { deskAgent } from "./desk-agent.ts";
import { openMemory } from "./open-memory.ts";
import { startNoteWorker } from "./worker-process.ts";
import type { NoteWorker } from "./worker-process.ts";

/** What the morning came to; roots by what happened in them. */
export interface Morning {
  readonly turns: number;
  readonly failed: number;
  /** Refund that was delivered and acknowledged, and one without a receipt. */
  readonly refundRoot: string;
  readonly unconfirmedRoot: string;
  readonly cacheDecisions: readonly string[];
  /** Code by which the worker refused another customer's carrier. */
  readonly foreignCarrier: string;
}

const memoryId = "shop";
const ada = { userId: "cust_ada", memoryId, threadId: "thread_ada_1" };
const ben = { userId: "cust_ben", memoryId, threadId: "thread_ben_1" };

/** A refund: the turn, the intent, the note that the worker writes, and its delivery. */
async function refund(
  agent: Agent,
  worker: NoteWorker,
  customer: typeof ada,
  acknowledged: boolean | null,
): Promise<RunResult> {
  const taskId = `refund_${customer.userId}`;
  let result: RunResult | undefined;
  const stream = agent.runStream("Then I want a refund for order A-1001, please", {
    ...customer,
    context: { current_page: { type: "order", id: "A-1001" } },
    observabilityContext: {
      clientPageType: "order",
      clientPageId: "A-1001",
      threadBindingStatus: "matched",
      expectedThreadId: customer.threadId,
      ownershipVerified: true,
      groundingStatus: "ready",
      groundingSource: "stored_text",
      pageTitle: "Your order, Ada",
    },
  });
  for await (const event of stream) if (event.type === "run.done") result = event.result;
  if (result === undefined) throw new Error("the refund turn gave no result");
  const order: ResourceRef = {
    resourceType: "order",
    ref: "A-1001",
    version: "7",
    role: "authoritative_current_source",
    ownershipVerified: true,
    provenanceStatus: "verified",
  };
  const recorder = agent.recorder(result.traceContext);
  await recorder.recordIntent("refund_order", {
    taskId,
    expectedArtifactTypes: ["refund_note"],
    requiredContracts: ["refund_note_form"],
    inputRefs: [order],
    coverageProfile: "content_derived_artifact",
  });
  const enqueue = recorder.startSpan("refund_notes.enqueue", { taskId, inputRefs: [order] });
  const { note } = await worker.work({
    jobId: `job_${customer.userId}`,
    taskId,
    userId: customer.userId,
    threadId: customer.threadId,
    source: order,
    carrier: enqueue.toCarrier(),
  });
  await enqueue.succeed();
  if (note === undefined) throw new Error("the worker refused its own customer's job");
  await recorder.recordDelivery("refund_note_view", {
    taskId,
    emitted: true,
    acknowledged,
    inputRefs: [note],
    contractName: "refund_note_form",
  });
  await agent.recordTaskOutcome("success", {
    traceContext: result.traceContext,
    verified: acknowledged === true,
    source: "shop",
    taskId,
    metrics: { amount_cents: 4_200 },
  });
  return result;
}

/** Ada's job under Ben's name: the worker must not go on with it. */
async function foreignJob(worker: NoteWorker, result: RunResult): Promise<string> {
  const done = await worker.work({
    jobId: "job_foreign",
    taskId: "refund_foreign",
    userId: ben.userId,
    threadId: ben.threadId,
    source: { resourceType: "order", ref: "A-1001", version: "7" },
    carrier: result.traceContext.toCarrier(),
  });
  return done.refused ?? "";
}

/** Plays the morning; evidence goes through the global OpenTelemetry provider. */
export async function playMorning(agent: Agent, worker: NoteWorker): Promise<Morning> {
  const { entities } = agent.memory;
  const place = { ...ada, agentId: "support-desk-memory" };
  await entities.remember(place, { name: "home_city", role: "profile", text: "Lisbon" });
  await entities.remember(place, { name: "tone", role: "preference", text: "short and dry" });
  const results: RunResult[] = [];
  let failed = 0;
  const request = async (question: string, options: Parameters<Agent["run"]>[1]): Promise<void> => {
    await agent.run(question, options).then(
      (result) => results.push(result),
      () => (failed += 1),
    );
  };
  await request("Where is my order A-1001?", ada);
  const refunded = await refund(agent, worker, ada, true);
  const unconfirmed = await refund(agent, worker, ben, null);
  results.push(refunded, unconfirmed);
  const policy = "What is the policy when I want to send something back?";
  await request(policy, { ...ben, threadId: "thread_ben_2" });
  await request(policy, { ...ben, threadId: "thread_ben_3" });
  await request(policy, { memoryId, threadId: "thread_visitor" });
  await request("Where is my order Z-9999?", { ...ben, threadId: "thread_ben_4" });
  await agent.recordFeedback({
    traceContext: results.at(-1)!.traceContext,
    rating: -1,
    label: "not_helpful",
    comment: "You lost my grandmother's gift",
    verified: true,
  });
  await request("[overload-once] Good morning", { ...ada, threadId: "thread_ada_2" });
  await request("[refuse] Write me a poem", { ...ben, threadId: "thread_ben_5" });
  for await (const event of agent.runStream("Good evening", { ...ada, threadId: "thread_ada_3" })) {
    if (event.type === "answer.delta") break;
  }
  return {
    turns: results.length + failed + 1,
    failed,
    refundRoot: refunded.traceContext.rootTraceId,
    unconfirmedRoot: unconfirmed.traceContext.rootTraceId,
    cacheDecisions: results.map(({ cache }) => cache.decision),
    foreignCarrier: await foreignJob(worker, refunded),
  };
}

/** Runs the desk once against a collector, on any memory. */
export async function runMemoryDesk(
  endpoint: string,
  options: { readonly modelURL?: string; readonly store?: MemoryStore } = {},
): Promise<Morning> {
  await using model = options.modelURL === undefined ? await startScriptedModel() : undefined;
  const telemetry = register({ serviceName: "support-desk-memory", endpoint });
  await using worker = startNoteWorker(endpoint);
  const store = options.store ?? ephemeralMemory();
  const agent = deskAgent(options.modelURL ?? model?.baseURL ?? "", store);
  const morning = await playMorning(agent, worker);
  await telemetry.shutdown();
  return morning;
}

if (import.meta.main) {
  const endpoint = process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "http://127.0.0.1:4318";
  const modelURL = process.env["MODEL_BASE_URL"];
  const store = await openMemory(process.env);
  const options = { store, ...(modelURL === undefined ? {} : { modelURL }) };
  const morning = await runMemoryDesk(endpoint, options);
  await store.close();
  console.log(JSON.stringify(morning));
}
