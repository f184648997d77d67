/**
 * @module One agent, many users at once, on each provider: 100 turns of 50 users, streamed and
 * whole, with cache, tools, cancellations and jobs by carrier. No row, event, cache entry, request
 * id, callback or trace context of one turn is ever another's.
 */
import { setTimeout as wait } from "node:timers/promises";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import type { AgentOptions, AnyTool, RunResult, RunEvent } from "@turnproof/agent";
import type { TurnEvent } from "@turnproof/evidence";
import { forWorker, ObservabilityRecorder, otelSink } from "@turnproof/instrumentation";
import { CodedError, scopedKinds } from "@turnproof/semconv";
import { ephemeralMemory } from "@turnproof/store";
import { unscoped } from "@turnproof/store/admin";
import { describe, expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";
import type { ScriptedModel } from "../../servers/openai-compatible.ts";
import { observeInto } from "./observed.ts";
import { providers } from "./providers.ts";
import type { OpenProvider } from "./providers.ts";

const observed = observeInto();
const users = Array.from({ length: 50 }, (_, i) => `user_${String(i).padStart(2, "0")}`);
const markOf = (user: string | null): string => `mark-${user?.slice(-2)}`;
const marksIn = (text: string): string[] => [...new Set(text.match(/mark-\d\d/g))];

/** The model repeats the mark of its question, and every mark it sees in its context. */
const script = {
  wordDelayMs: 1,
  print: (requested: string, conversation: string): string =>
    `${requested.includes("order") ? "The order is there." : "Noted."} ${marksIn(conversation).join(" ")}`,
};

/** What happened to each user, by turn. */
interface Crowd {
  readonly results: readonly RunResult[];
  readonly cancelled: readonly (readonly [user: string, turnId: string])[];
  /** What each tool call received, and what its agent recorded of its own turn. */
  readonly contexts: readonly (readonly [prompt: string | null, found: string | undefined])[];
  readonly heard: ReadonlyMap<string, readonly RunEvent[]>;
}

/** The agent, and the users that call it all at once. */
function open(server: ScriptedModel, { memory }: OpenProvider) {
  const contexts: (readonly [string | null, string | undefined])[] = [];
  const heard = new Map<string, RunEvent[]>();
  const tool: AnyTool = {
    name: "lookup_order",
    description: "Finds an order",
    inputSchema: { type: "object" },
    readOnly: true,
    deterministic: true,
    execute: async (_input: unknown, { userId }) => {
      await wait(1 + (Number(userId?.slice(-2)) % 7));
      contexts.push([userId, agent.getTraceContext()?.identity.userId ?? undefined]);
      return { of: userId };
    },
  };
  const agent: Agent = new Agent({
    model: createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1"),
    store: memory,
    tools: [tool],
    cache: {},
    agentId: "desk",
  });
  const requestHere = async (user: string, round: "whole" | "streamed"): Promise<RunResult> => {
    const key = `${user}/${round}/${heard.size}`;
    heard.set(key, []);
    const options = {
      userId: user,
      memoryId: "m1",
      threadId: `thread-${round}`,
      eventCallback: (event: RunEvent) => void heard.get(key)?.push(event),
    };
    const question = `Where is my order? I am ${markOf(user)}.`;
    let result: RunResult | undefined;
    if (round === "whole") result = await agent.run(question, options);
    else {
      for await (const event of agent.runStream(question, options)) {
        if (event.type === "run.done") result = event.result;
      }
    }
    // Every caller finds its own turn, whatever the others did meanwhile.
    expect(agent.getTraceContext()?.identity.turnId).toBe(result?.turnId);
    return result!;
  };
  const request: typeof requestHere = (...requested) =>
    agent.withCaller(() => requestHere(...requested));
  const leave = async (user: string): Promise<readonly [string, string]> => {
    const options = { userId: user, memoryId: "m1", threadId: "thread-left" };
    const stream = agent.runStream(`Hello, I am ${markOf(user)}.`, options);
    for await (const event of stream) if (event.type === "answer.delta") break;
    return [user, stream.traceContext?.identity.turnId ?? ""];
  };
  return { contexts, heard, request, leave };
}

/**
 * A job of each turn, in a worker that knows its owner; and the same under the next user's name.
 */
async function handOver(result: RunResult): Promise<string> {
  const sink = otelSink();
  const carrier = result.traceContext.toCarrier();
  const threadId = result.threadId;
  const job = await forWorker(carrier, { sink, expected: { userId: result.userId, threadId } });
  const recorder = new ObservabilityRecorder(sink, job, { strict: true });
  const span = recorder.startSpan("notes.write", { taskId: `task-${result.userId}` });
  await wait(Number(result.userId?.slice(-1)));
  await span.succeed();
  const next = users[(users.indexOf(result.userId ?? "") + 1) % users.length] ?? "";
  const refused = forWorker(carrier, { sink, expected: { userId: next, threadId } });
  return refused.then(
    () => "accepted",
    (error: unknown) => (CodedError.is(error) ? error.code : String(error)),
  );
}

function checkAnswers({ results, contexts, heard }: Crowd): void {
  for (const result of results) expect(marksIn(result.text)).toEqual([markOf(result.userId)]);
  for (const [reported, found] of contexts) expect(found).toBe(reported);
  for (const [key, events] of heard) {
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_e, i) => i + 1));
    const done = events.at(-1);
    const of = done?.type === "run.done" ? done.result?.userId : undefined;
    expect(`${of}/`).toBe(`${key.split("/")[0]}/`);
  }
}

/** Every request's id belongs to the turn that sent the request. */
function checkMetadata({ results }: Crowd, server: ScriptedModel): void {
  const ids = results.flatMap(({ response }) => response?.requestId ?? []);
  expect(ids.length).toBeGreaterThan(10);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { response, userId } of results) {
    const id = response?.requestId;
    if (typeof id !== "string") continue;
    expect(marksIn(server.bodies[Number(id.slice(4)) - 1] ?? "")).toEqual([markOf(userId)]);
  }
}

async function checkRows({ memory }: OpenProvider): Promise<void> {
  let rows = 0;
  for (const kind of scopedKinds) {
    for await (const row of memory.admin.rows(unscoped, kind)) {
      rows += 1;
      expect(users).toContain(row.user_id);
      const foreign = marksIn(JSON.stringify(row)).filter((mark) => mark !== markOf(row.user_id));
      expect([row.user_id, kind, foreign]).toEqual([row.user_id, kind, []]);
    }
  }
  expect(rows).toBeGreaterThan(50 * 9);
}

async function everything(
  { evidence }: OpenProvider,
  tenant: string | null,
): Promise<readonly TurnEvent[]> {
  const { events, next } = await evidence.page({ tenant }, {}, { limit: 1_000 });
  expect(next).toBeNull();
  return events;
}

async function checkEvents(provider: OpenProvider, crowd: Crowd): Promise<void> {
  expect(await everything(provider, null)).toEqual([]);
  for (const user of users) {
    const events = await everything(provider, user);
    const left = crowd.cancelled.filter(([owner]) => owner === user).map(([, turnId]) => turnId);
    const own = crowd.results.filter(({ userId }) => userId === user).map(({ turnId }) => turnId);
    expect(new Set(events.map(({ turn_id }) => turn_id))).toEqual(new Set([...own, ...left]));
    const turns = events.filter(({ event_kind }) => event_kind === "turn");
    expect(turns).toHaveLength(own.length + left.length);
    // Shared kinds belong to no tenant (requirements: Scope hierarchy 5); every other read has one.
    const reads = events.filter(
      ({ operation, attributes }) =>
        operation === "search_memory" && attributes.scope_applied !== "shared",
    );
    expect(reads.length).toBeGreaterThanOrEqual(own.length);
    expect(reads.every(({ attributes }) => attributes.foreign_rows === 0)).toBe(true);
    expect(reads.every(({ attributes }) => attributes.scope_applied === "user")).toBe(true);
    const jobs = events.filter(({ event_kind }) => event_kind === "application_action");
    expect(new Set(jobs.map(({ task_id }) => task_id))).toEqual(new Set([`task-${user}`]));
    expect(JSON.stringify(events)).not.toContain("mark-");
  }
}

describe.each(Object.entries(providers))("on %s", (_name, openProvider) => {
  test("100 concurrent turns of 50 users on one agent", { timeout: 240_000 }, async () => {
    await using server = await startScriptedModel(script);
    const provider = await openProvider();
    const flush = observed.into(provider.evidence);
    const { request, leave, contexts, heard } = open(server, provider);
    const leavers = users.filter((_user, i) => i % 5 === 0);
    const [results, cancelled] = await Promise.all([
      Promise.all(users.flatMap((user) => [request(user, "whole"), request(user, "streamed")])),
      Promise.all(leavers.map(leave)),
    ]);
    expect(results).toHaveLength(100);
    const refusals = await Promise.all(results.map((result) => handOver(result)));
    expect(new Set(refusals)).toEqual(new Set(["carrier_scope_mismatch"]));
    // A second question of each: the cache answers with the caller's own answer or not at all.
    const again = await Promise.all(users.map((user) => request(user, "whole")));
    expect(again.map(({ cache }) => cache.decision)).toEqual(users.map(() => "hit"));
    await flush();
    const crowd = { results: [...results, ...again], cancelled, contexts, heard };
    checkAnswers(crowd);
    checkMetadata(crowd, server);
    await checkRows(provider);
    await checkEvents(provider, crowd);
    await provider.close();
  });
});

test("metadata of an adapter is never another turn's", async () => {
  await using server = await startScriptedModel();
  const real = createOpenAICompatible({ name: "m", baseURL: server.baseURL, includeUsage: true })(
    "desk-1",
  );
  let last: object = {};
  // An adapter with one "last response" for all: the protocol's own weakness under concurrency.
  const adapter = Object.assign(Object.create(real) as AgentOptions["model"], {
    doGenerate: async (options: Parameters<typeof real.doGenerate>[0]) => {
      const requested = JSON.stringify(options.prompt).match(/slow-\d+|fast/)?.[0] ?? "";
      const result = await real.doGenerate(options);
      if (requested.startsWith("slow")) await wait(Number(requested.slice(5)));
      last = { request_id: `req-${requested}`, max_output_tokens: 77 };
      return { ...result, response: { ...result.response, headers: {} } };
    },
    getLastResponseMetadata: () => last,
  });
  const agent = new Agent({ model: adapter, store: ephemeralMemory() });
  const alone = await agent.run("fast", { userId: "u1" });
  expect(alone.response).toMatchObject({ requestId: "req-fast", maxOutputTokens: 77 });
  const both = await Promise.all(
    ["slow-30", "slow-10", "fast"].map((requested, i) => agent.run(requested, { userId: `u${i}` })),
  );
  for (const { response } of both) {
    expect(response).toMatchObject({ requestId: null, maxOutputTokens: null });
  }
});
