/**
 * @module What may reach a prompt, by a model of it: random turns of many users on one agent,
 * whole and streamed, failed and left, retrieved by words, by meaning and by both, with entities,
 * summaries, skills, shared memory and deletions between them. Each prompt is compared with what
 * the oracle allows: the history and what is shared exactly, anything else as a subset.
 */
import { Agent } from "@turnproof/agent";
import { lexicalEmbedder } from "@turnproof/memory";
import { deleteUser } from "@turnproof/memory/admin";
import type { RetrievalMode } from "@turnproof/memory";
import { ephemeralMemory } from "@turnproof/store";
import type { MemoryStore } from "@turnproof/store";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";

import { randomOf } from "../evidence/oracle/random.ts";
import type { Random } from "../evidence/oracle/random.ts";
import { Oracle } from "../memory/oracle.ts";
import type { OraclePlace } from "../memory/oracle.ts";
import { operate, sharedMarksIn, SharedOracle } from "./shared-oracle.ts";

const turns = Number(process.env["AGENT_TURNS"] ?? 400);
const seed = Number(process.env["MEMORY_SEED"] ?? 20_261_122);
const users: readonly (string | null)[] = [null, "ann", "Ann", "ann_", "null", "0", "\u0430nn"];
const marksIn = (text: string): readonly string[] => [...new Set(text.match(/mark\d+[qa]/g))];
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** Prompts by the mark of the question that they were made for. */
const prompts = new Map<string, readonly Message[]>();

/**
 * Answers with the mark of the question; fails, or stops after two words, when a mark requests it.
 */
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const { question, mark } = requested(prompt);
    await new Promise((resolve) => setTimeout(resolve, Number(mark.slice(4, -1)) % 3));
    if (question.includes("[fail]")) throw new Error("away");
    return {
      content: [{ type: "text", text: `answered ${mark.replace("q", "a")}` }],
      finishReason: { unified: "stop", raw: "stop" },
      usage,
      warnings: [],
    };
  },
  doStream: async ({ prompt }) => {
    const { mark } = requested(prompt);
    const words = ["said", mark.replace("q", "a"), "and", "more"];
    return {
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: "text-start", id: "1" });
        },
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          const delta = words.shift();
          if (delta !== undefined) controller.enqueue({ type: "text-delta", id: "1", delta });
          else {
            controller.enqueue({ type: "text-end", id: "1" });
            const finishReason = { unified: "stop" as const, raw: "stop" };
            controller.enqueue({ type: "finish", finishReason, usage });
            controller.close();
          }
        },
      }),
    };
  },
});

function requested(prompt: readonly Message[]): {
  readonly question: string;
  readonly mark: string;
} {
  const question = textOf(prompt.at(-1));
  const mark = marksIn(question)[0] ?? "";
  prompts.set(mark, prompt);
  return { question, mark };
}

function textOf(message: Message | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  const parts = content as readonly { readonly text?: string }[] | undefined;
  return (parts ?? []).map(({ text }) => text ?? "").join(" ");
}

type Way = "whole" | "streamed" | "failed" | "left";

/** One turn, and how it ended as the caller saw it. */
async function turn(agent: Agent, place: OraclePlace, way: Way, mark: string): Promise<string> {
  const { agentId: _, ...options } = place;
  const question = `${way === "failed" ? "[fail] " : ""}where is the parcel ${mark}`;
  if (way === "whole" || way === "failed") {
    return agent.run(question, options).then(
      ({ status }) => status,
      () => "thrown",
    );
  }
  let status = "cut";
  for await (const event of agent.runStream(question, options)) {
    if (event.type === "answer.delta" && way === "left" && event.text.startsWith("mark")) break;
    if (event.type === "run.done") ({ status } = event);
  }
  return status;
}

/** What the oracle knows after a turn. */
function settle(oracle: Oracle, place: OraclePlace, way: Way, mark: string): void {
  const cut = way === "failed" || way === "left";
  oracle.print({ ...place, role: "user", mark, cut });
  if (way === "failed") return;
  oracle.print({ ...place, role: "assistant", mark: mark.replace("q", "a"), cut });
}

/** The prompt of a question holds what it may and nothing else. */
function compare(oracle: Oracle, shared: SharedOracle, place: OraclePlace, mark: string): void {
  const prompt = prompts.get(mark);
  if (prompt === undefined) throw new Error(`no prompt for ${mark}`);
  const [system] = prompt[0]?.role === "system" ? prompt : [];
  const reported = prompt.slice(system === undefined ? 0 : 1, -1);
  const history = oracle.history(place, 20);
  // A history begins with a question: an answer whose question no longer fits is left out.
  const whole = history.slice(history[0]?.endsWith("a") === true ? 1 : 0);
  expect(reported.flatMap((message) => marksIn(textOf(message)))).toEqual(whole);
  // Models alternate: none answers twice.
  const speakers = [...reported, prompt.at(-1)].map((message) => message?.role);
  expect(speakers.some((role, i) => role === speakers[i + 1])).toBe(false);
  const allowed = oracle.allowed(place);
  const foreign = marksIn(textOf(system)).filter((found) => !allowed.has(found));
  expect(foreign).toEqual([]);
  expect(sharedMarksIn(textOf(system))).toEqual(shared.reported());
}

function drawPlace(random: Random, userId: string | null): OraclePlace {
  return {
    userId,
    agentId: "agent",
    memoryId: `memory_${random.below(2)}`,
    threadId: `thread_${random.below(2)}`,
  };
}

/** An agent on the store whose retrieval goes one way; all of them are one agent to memory. */
function agentOf(store: MemoryStore, mode: RetrievalMode): Agent {
  const retrieval = { mode, relevanceMin: 0, itemsMax: 50, charsMax: 1e9 };
  const { lexical: _, ...embedder } = lexicalEmbedder();
  const shared = { itemsMax: 1_000, charsMax: 1e9 };
  const tools = [{ name: "here", description: "x", inputSchema: {}, execute: () => ({}) }];
  return new Agent({ model, store, embedder, memoryPolicy: { retrieval }, shared, tools });
}

/** What memory learns between turns: an entity, a summary, or nothing. */
async function learn(
  random: Random,
  { memory }: Agent,
  oracle: Oracle,
  place: OraclePlace,
  mark: string,
): Promise<void> {
  const draw = random.below(10);
  if (draw < 3) {
    const entity = { name: "city", role: "profile" as const, text: `it is ${mark}` };
    await memory.entities.remember(place, entity);
    oracle.remember(place, "city", mark);
  } else if (draw < 5) {
    await memory.summaries.write(place, { text: `a parcel ${mark}`, sourceIds: ["x"] });
    oracle.summarize(place, mark);
  }
}

test(`${turns} turns are told what the oracle allows`, { timeout: 3_600_000 }, async () => {
  const random = randomOf(seed);
  const store = ephemeralMemory();
  const agents = (["hybrid", "vector", "lexical"] as const).map((mode) => agentOf(store, mode));
  const oracle = new Oracle();
  const shared = new SharedOracle();
  const seen = { supplied: 0, cut: 0, shared: 0 };
  for (let done = 0; done < turns;) {
    const together = [...new Set(Array.from({ length: 5 }, () => random.pick(users)))];
    const drawn = together.map((userId, at) => ({
      place: drawPlace(random, userId),
      way: random.pick<Way>(["whole", "whole", "streamed", "failed", "left"]),
      mark: `mark${done + at}q`,
    }));
    const ended = await Promise.all(
      drawn.map(({ place, way, mark }) => turn(random.pick(agents), place, way, mark)),
    );
    for (const [i, { place, way, mark }] of drawn.entries()) {
      const wanted = { whole: "success", streamed: "success", failed: "thrown", left: "cut" }[way];
      expect(ended[i]).toBe(wanted);
      compare(oracle, shared, place, mark);
      settle(oracle, place, way, mark);
      seen.supplied += marksIn(textOf(prompts.get(mark)?.[0])).length;
      seen.cut += way === "failed" || way === "left" ? 1 : 0;
    }
    prompts.clear();
    seen.shared += shared.reported().length;
    done += drawn.length;
    const userId = random.pick(users);
    await learn(random, random.pick(agents), oracle, drawPlace(random, userId), `mark${done}q`);
    await operate(random, random.pick(agents).memory, shared, `mark${done}s`);
    done += 1;
    if (random.chance(0.03) && userId !== null) {
      await deleteUser(store, { userId, dryRun: false });
      oracle.deleteUser(userId);
    }
  }
  // The comparison would hold of an agent that remembers nothing.
  expect(seen.supplied).toBeGreaterThan(turns / 4);
  expect(seen.cut).toBeGreaterThan(turns / 10);
  expect(seen.shared).toBeGreaterThan(turns / 10);
});
