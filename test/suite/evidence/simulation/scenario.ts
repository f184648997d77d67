/**
 * @module Scenario: one turn of a web handler whose worker makes the artifact. By default it does
 * its task; each lie makes it a turn that must not be called a success.
 */
import { forWorker, ObservabilityRecorder, Turn } from "@turnproof/instrumentation";
import type { RecorderSpan, ResourceRef } from "@turnproof/instrumentation";

import type { Random } from "../oracle/random.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import type { World } from "./simulated-process.ts";

/** What a dishonest turn does. */
export const lies = [
  "worker never ends",
  "worker fails",
  "persistence unverified",
  "artifact never recorded",
  "older version delivered",
  "revised after delivery",
  "parse failed last",
  "recovered",
  "not acknowledged",
  "refused",
  "refused by the later delivery",
  "ownership denied",
  "another source",
  "outcome failed",
  "turn failed",
  "turn never ends",
  "another tenant's worker",
  "lost carrier",
  "worker's batch lost",
  "intent after delivery",
] as const;
export type Lie = (typeof lies)[number];

const source: ResourceRef = {
  resourceType: "document",
  ref: "doc-7",
  version: "3",
  role: "authoritative_current_source",
  ownershipVerified: true,
  provenanceStatus: "verified",
};

const made = (version: string): ResourceRef => ({
  resourceType: "report",
  ref: "report-1",
  version,
});

/** How the honest parts of a turn vary. */
interface Weather {
  readonly skewMs: number;
  readonly workerLateMs: number;
  readonly restarts: boolean;
  readonly handlerOutlives: boolean;
  readonly reparse: boolean;
  readonly namesApplication: boolean;
  readonly checked: boolean;
}

function weatherOf(random: Random): Weather {
  return {
    skewMs: random.below(801) - 400,
    workerLateMs: random.pick([20, 300, 2_000, 7_200_000]),
    restarts: random.chance(0.3),
    handlerOutlives: random.chance(0.5),
    reparse: random.chance(0.3),
    namesApplication: random.chance(0.5),
    checked: random.chance(0.5),
  };
}

/** Plays one turn and returns what the collector received, in the order of receipt. */
export async function play(random: Random, lie: Lie | undefined): Promise<unknown[]> {
  const weather = weatherOf(random);
  const world: World = { now: Date.now(), received: [] };
  const web = new SimulatedProcess(world, "web", 0);
  const worker = new SimulatedProcess(world, "worker", weather.skewMs);
  const pass = (ms: number): void => {
    world.now += ms;
  };
  const identity = {
    ...(weather.namesApplication ? { applicationId: "web" } : {}),
    agentId: "writer",
    userId: "user-1",
    threadId: "thread-1",
  };
  const turn = new Turn({ ...identity, coverageProfile: "interactive_response", sink: web.sink });
  const recorder = turn.recorder();
  const task = { taskId: "task-1" };
  pass(5);
  const intend = (): Promise<void> =>
    recorder.recordIntent("report", {
      ...task,
      expectedArtifactTypes: ["report"],
      requiredContracts: ["layout"],
      inputRefs: [source],
      coverageProfile: "interactive_response",
    });
  if (lie !== "intent after delivery") await intend();
  await turn.bindContext({ ownership_verified: lie !== "ownership denied", request_id: "r-1" });
  const call = turn.startModelCall({ provider: "p", model: "m", operation: "chat" });
  pass(900);
  await call.respond({ finishReason: "stop", usage: { inputTokens: 9, outputTokens: 9 } });

  const job = { random, lie, weather, world, worker, carrier: turn.traceContext.toCarrier() };
  const late = await work(job);
  pass(150);

  await contract(recorder, lie === "recovered", "success");
  if (weather.reparse || lie === "parse failed last") {
    pass(30);
    const last = lie === "parse failed last" ? "failed" : "success";
    await contract(recorder, lie === "recovered", last);
  }
  pass(20);
  await deliver(recorder, lie);
  if (lie === "refused by the later delivery") {
    pass(2_000);
    await recorder.recordDelivery("browser", {
      ...task,
      emitted: true,
      acknowledged: false,
      inputRefs: [made("1")],
    });
  }
  pass(700);
  if (lie === "intent after delivery") await intend();
  await late();
  if (weather.checked || lie === "outcome failed") {
    const outcome = lie === "outcome failed" ? "failure" : "success";
    await recorder.recordTaskOutcome(outcome, { ...task, verified: true, source: "checker" });
  }
  if (lie === "turn failed") await turn.fail("Timeout");
  else if (lie !== "turn never ends") await turn.succeed();
  const arrival = { latencyMs: weather.workerLateMs, twice: random.chance(0.3) };
  if (lie !== "worker's batch lost") await worker.send(arrival);
  await web.send({ latencyMs: random.pick([20, 200]), twice: random.chance(0.3) });
  await Promise.all([web.stop(), worker.stop()]);
  return world.received;
}

interface Job {
  readonly random: Random;
  readonly lie: Lie | undefined;
  readonly weather: Weather;
  readonly world: World;
  readonly worker: SimulatedProcess;
  readonly carrier: unknown;
}

/** The worker's part; the answer ends its handler where that outlives the delivery. */
async function work({ lie, weather, world, worker, carrier }: Job): Promise<() => Promise<void>> {
  const recorderOf = async (): Promise<ObservabilityRecorder> => {
    const tenant = { agentId: "writer", userId: "user-1", threadId: "thread-1" };
    const foreign = { ...tenant, userId: "user-2", runId: "run-2", turnId: "turn-2" };
    if (lie === "another tenant's worker") {
      const own = new Turn({ ...tenant, userId: "user-2", sink: worker.sink });
      return own.recorder();
    }
    const fallback = lie === "lost carrier" ? { fallback: { ...foreign, userId: "user-1" } } : {};
    const given = lie === "lost carrier" ? undefined : carrier;
    const turn = await forWorker(given, {
      sink: worker.sink,
      expected: { userId: "user-1" },
      ...fallback,
    });
    return new ObservabilityRecorder(worker.sink, turn);
  };
  if (weather.restarts) {
    // The first process dies in the middle; its marker was sent, its end never comes.
    const first = (await recorderOf()).startSpan("render", { taskId: "task-1" });
    void first;
    await worker.send({ latencyMs: 20, twice: false });
    world.now += 400;
    worker.restart();
  }
  const recorder = await recorderOf();
  const span = recorder.startSpan("render", {
    taskId: "task-1",
    attributes: { side_effect: true },
  });
  world.now += 300;
  await record(recorder, span, lie, "1");
  world.now += 10;
  const end = async (): Promise<void> => {
    if (lie === "revised after delivery") await record(recorder, span, lie, "2");
    if (lie === "worker never ends") return;
    await (lie === "worker fails" ? span.fail("Broken") : span.succeed());
  };
  if (weather.handlerOutlives || lie === "revised after delivery") return end;
  await end();
  return () => Promise.resolve();
}

async function record(
  recorder: ObservabilityRecorder,
  span: RecorderSpan,
  lie: Lie | undefined,
  version: string,
): Promise<void> {
  if (lie === "artifact never recorded") return;
  await span.run(() =>
    recorder.recordArtifact(made(version), {
      taskId: "task-1",
      producingSpanId: span.spanId,
      persistenceVerified: lie !== "persistence unverified",
      inputRefs: [lie === "another source" ? { ...source, ref: "doc-8" } : source],
    }),
  );
}

async function contract(
  recorder: ObservabilityRecorder,
  recoveryUsed: boolean,
  parserStatus: "success" | "failed",
): Promise<void> {
  await recorder.contract("layout", { taskId: "task-1", required: true }).record({
    openingMarkerFound: true,
    closingMarkerFound: true,
    parserStatus,
    recoveryUsed,
  });
}

async function deliver(recorder: ObservabilityRecorder, lie: Lie | undefined): Promise<void> {
  const unknown = lie === "not acknowledged" ? null : lie !== "refused";
  await recorder.recordDelivery("browser", {
    taskId: "task-1",
    emitted: true,
    acknowledged: unknown,
    inputRefs: [made(lie === "older version delivered" ? "0" : "1")],
  });
}
