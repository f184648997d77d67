/**
 * @module Whose turn a call means that names none: the caller's own or none, behind a real HTTP
 * server whose context was inherited from a warm-up, for users that run at once, and for work that
 * a tool left behind.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

import { Agent } from "@turnproof/agent";
import type { AnyTool } from "@turnproof/agent";
import { CodedError } from "@turnproof/semconv";
import { ephemeralMemory } from "@turnproof/store";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";

import { observe, ofKind } from "./observed.ts";

const observed = observe();
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function open(tools: readonly AnyTool[] = [], calls: readonly string[] = []): Agent {
  let round = 0;
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      const toolName = calls[round];
      round += 1;
      return {
        content:
          toolName === undefined
            ? [{ type: "text", text: "Hello." }]
            : [{ type: "tool-call", toolCallId: `c${round}`, toolName, input: "{}" }],
        finishReason: { unified: toolName === undefined ? "stop" : "tool-calls", raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
  return new Agent({ model, store: ephemeralMemory(), tools });
}

const codeOf = (error: unknown): string => (CodedError.is(error) ? error.code : String(error));
const place = (userId: string) => ({ userId, memoryId: "m1", threadId: `thread_${userId}` });

/**
 * Each operation that may leave the turn out, and whose turn it took, or the code it refused by.
 */
const operations: Readonly<Record<string, (agent: Agent) => unknown>> = {
  recordFeedback: (agent) => agent.recordFeedback({ rating: -1 }),
  recordTaskOutcome: (agent) => agent.recordTaskOutcome("failure"),
  observe: (agent) => agent.observe("render_answer").succeed(),
  recorder: (agent) => agent.recorder().recordIntent("answer"),
};

async function outcomesOf(agent: Agent): Promise<readonly string[]> {
  const codes: string[] = [];
  for (const operation of Object.values(operations)) {
    try {
      await operation(agent);
      codes.push("recorded");
    } catch (error) {
      codes.push(codeOf(error));
    }
  }
  return codes;
}

const refused = Object.keys(operations).map(() => "identity_missing");
const recorded = Object.keys(operations).map(() => "recorded");
const hostKinds = ["feedback", "outcome", "application_action", "intent"];

/** How many host events lie on the turns of a user. */
async function hostEvents(userId: string): Promise<number> {
  const events = await observed.events(userId);
  return hostKinds.flatMap((kind) => ofKind(events, kind)).length;
}

test("a server that began to listen after a warm-up never takes the warm-up's turn", async () => {
  const agent = open();
  await agent.withCaller(() => agent.run("Warm up", place("warm")));
  await agent.run("Warm up", place("warm"));
  const query = (userId: string): Promise<readonly string[]> =>
    agent.withCaller(async () => {
      await agent.run("Hello", place(userId));
      await wait(2);
      return outcomesOf(agent);
    });
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const userId = searchParams.get("user") ?? "";
    const answer =
      pathname === "/ask"
        ? agent.run("Hello", place(userId)).then(() => [])
        : pathname === "/ask-and-judge"
          ? query(userId)
          : outcomesOf(agent);
    void answer.then((codes) => response.end(JSON.stringify(codes)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const get = async (path: string): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).json();
  try {
    // One connection is used again and again: what one request left must not reach the next.
    expect(await get("/judge?user=eve")).toEqual(refused);
    await get("/ask?user=ann");
    expect(await get("/judge?user=eve")).toEqual(refused);
    const all = ["ben", "cleo", "dan", "emil"].map((user) => get(`/ask-and-judge?user=${user}`));
    for (const codes of await Promise.all(all)) expect(codes).toEqual(recorded);
    expect(await get("/judge?user=eve")).toEqual(refused);
  } finally {
    server.close();
    server.closeAllConnections();
  }
  for (const user of ["warm", "ann", "eve"])
    expect([user, await hostEvents(user)]).toEqual([user, 0]);
  for (const user of ["ben", "cleo", "dan", "emil"]) expect(await hostEvents(user)).toBe(4);
});

test("users who ask at once are not each other, and none of them is whoever started them", async () => {
  const agent = open();
  const judge = async (): Promise<readonly string[]> => {
    await wait(5);
    return outcomesOf(agent);
  };
  // `judge` begins where a turn of another user was just begun, in the same context.
  const [, , eve] = await Promise.all([
    agent.run("Hello", place("fay")),
    agent.run("Hello", place("gus")),
    judge(),
  ]);
  expect(eve).toEqual(refused);
  expect(await outcomesOf(agent)).toEqual(refused);
  expect(agent.getTraceContext()).toBeUndefined();
  const both = await agent.withCaller(async () => {
    await Promise.all([agent.run("Hello", place("fay")), agent.run("Hello", place("gus"))]);
    expect(agent.getTraceContext()).toBeUndefined();
    return outcomesOf(agent);
  });
  expect(both).toEqual(refused);
  // One after the other is no better: the one that waits longer would judge the other's turn.
  const apart = await agent.withCaller(() =>
    Promise.all(
      [0, 20].map(async (ms, n) => {
        await wait(ms);
        await agent.run("Hello", place(n === 0 ? "fay" : "gus"));
        await wait(40 - ms);
        return outcomesOf(agent);
      }),
    ),
  );
  expect(apart).toEqual([refused, refused]);
  // Nor are two threads of one user, or two memories of one thread.
  const second = [{ threadId: "another" }, { memoryId: "m2" }];
  for (const other of second) {
    const threads = await agent.withCaller(() =>
      Promise.all(
        [0, 20].map(async (ms, n) => {
          await wait(ms);
          await agent.run("Hello", n === 0 ? place("gus") : { ...place("gus"), ...other });
          await wait(40 - ms);
          return outcomesOf(agent);
        }),
      ),
    );
    expect(threads).toEqual([refused, refused]);
  }
  await agent.withCaller(async () => {
    await Promise.all([agent.run("Hello", place("gus")), agent.run("Hello", place("gus"))]);
    expect(agent.getTraceContext()).toBeUndefined();
    const { turnId } = await agent.run("Hello", place("gus"));
    expect(agent.getTraceContext()?.identity.turnId).toBe(turnId);
  });
  for (const user of ["fay", "gus"]) expect(await hostEvents(user)).toBe(0);
});

test("what outlives a turn or a caller has no turn of its own", async () => {
  const left: Promise<readonly string[]>[] = [];
  const during: (readonly string[])[] = [];
  const lazy: AnyTool = {
    name: "start_queue",
    description: "Starts a queue",
    inputSchema: { type: "object" },
    execute: async () => {
      // Inside the turn it is the caller's own; the loop that it leaves behind serves all users.
      during.push(await outcomesOf(agent));
      left.push(wait(80).then(() => outcomesOf(agent)));
      return "started";
    },
  };
  const agent: Agent = open([lazy], ["start_queue"]);
  await agent.withCaller(async () => {
    await agent.run("Hello", place("hal"));
    left.push(wait(80).then(() => outcomesOf(agent)));
  });
  expect(during).toEqual([recorded]);
  expect(await Promise.all(left)).toEqual([refused, refused]);
  expect(await hostEvents("hal")).toBe(4);
});

test("a caller's last turn is the last that was begun, streamed or not, failed or left", async () => {
  const agent = open();
  await agent.withCaller(async () => {
    expect(await outcomesOf(agent)).toEqual(refused);
    await agent.run("Hello", place("ida"));
    const stream = agent.runStream("Hello", place("ida"));
    expect(stream.traceContext).toBeUndefined();
    for await (const event of stream) {
      expect(stream.traceContext?.identity.turnId).toBe(
        event.type === "run.started" ? event.turnId : stream.traceContext?.identity.turnId,
      );
      expect(agent.getTraceContext()).toBe(stream.traceContext);
      if (event.type === "status") break;
    }
    expect(agent.getTraceContext()).toBe(stream.traceContext);
    // A scope that ran nothing lies in the one around it.
    await agent.withCaller(() => expect(agent.getTraceContext()).toBe(stream.traceContext));
    await agent.run("", { ...place("ida"), userId: "" }).catch(() => undefined);
    expect(agent.getTraceContext()).toBe(stream.traceContext);
  });
  expect(agent.getTraceContext()?.identity.userId).toBe("ida");
  await agent.run("Hello", place("jon"));
  expect(agent.getTraceContext()).toBeUndefined();
});
