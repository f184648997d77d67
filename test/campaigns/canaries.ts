/**
 * @module Canaries: one word in every position of telemetry that no registry row admits, through
 * each way in; afterwards no file, log, answer or page of the collector holds it.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { register } from "@turnproof/exporter/register";
import type { Registration } from "@turnproof/exporter/register";
import { withTurn } from "@turnproof/instrumentation";
import { Memory, recordReferenced, recordSupplied } from "@turnproof/memory";
import { CodedError, sourceAttributeNames } from "@turnproof/semconv";
import { ephemeralMemory } from "@turnproof/store";

import type { Campaign, Figures, Rounds } from "./campaign.ts";
import { encodeProtobuf, traceRequest } from "../otlp/encode.ts";
import type { PlainSpan, PlainValue } from "../otlp/encode.ts";
import { startCollector } from "../suite/faults/collector-child.ts";
import type { CollectorChild } from "../suite/faults/collector-child.ts";
import { drained } from "../suite/faults/kill-oracle.ts";
import { seeded } from "../suite/journal/simulated-disk.ts";
import { recordedPlaces } from "../suite/privacy/recorded-places.ts";
import { canaryBodies } from "../suite/receive/canary-bodies.ts";
import { clientOf, traceService, unary } from "../suite/receive/grpc-client.ts";
import { bytes } from "../suite/receive/wire-writer.ts";

const tracesOfRequest = 50;
const spansOfTrace = 10;
const requestsOfRound = 40;
/** After so many rounds a new collector begins: its pages are over all that it has. */
const roundsOfWorld = 4;
/** Share of the names that a span has, each with the word in its value. */
const namesShare = 0.03;

type Random = () => number;
const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T;

/** The word in forms that people and libraries write; none is an id or a name. */
function stated(word: string, random: Random): PlainValue {
  const sentence = `please tell ${word} the secret words of this house, and nobody else`;
  return pick<PlainValue>(random, [
    sentence,
    `${word}@example.com`,
    `https://${word}.example/path?token=1`,
    JSON.stringify([{ role: "user", content: sentence }]),
    [sentence, [sentence]],
    { [sentence]: sentence, deep: [{ deeper: sentence }] },
    Buffer.from(sentence),
    `${sentence} `.repeat(20),
    `\u202e${sentence}\u0000`,
  ]);
}

const names = [
  ...sourceAttributeNames,
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.system_instructions",
  "gen_ai.tool.call.arguments",
  "gen_ai.tool.call.result",
  "exception.message",
  "db.query.text",
  "input.value",
  "output.value",
  "langfuse.observation.input",
  "ai.prompt",
  "url.full",
];

/** A span of some kind with the word in every name of the registry, of dialects and beyond. */
function spanOf(word: string, traceId: string, random: Random): PlainSpan {
  const attributes: Record<string, PlainValue> = {};
  for (const name of names) if (random() < namesShare) attributes[name] = stated(word, random);
  attributes["gen_ai.operation.name"] = pick(random, ["chat", "execute_tool", "invoke_agent"]);
  attributes[`a key with ${word}`] = 1;
  return {
    traceId,
    spanId: randomBytes(8).toString("hex"),
    traceState: `vendor=${word}`,
    name: String(`chat with ${word} about words of this house`),
    startTimeUnixNano: "1790000000000000001",
    endTimeUnixNano: "1790000000000000002",
    status: { code: 2, message: `failed for ${word}` },
    attributes,
    events: [{ name: `event ${word}`, attributes: { "exception.message": stated(word, random) } }],
    links: [
      {
        traceId: randomBytes(16).toString("hex"),
        spanId: randomBytes(8).toString("hex"),
        traceState: word,
        attributes: { why: stated(word, random) },
      },
    ],
    scope: { name: `scope of ${word}`, version: `version ${word}` },
  };
}

function traceOf(word: string, random: Random): readonly PlainSpan[] {
  const traceId = randomBytes(16).toString("hex");
  return Array.from({ length: spansOfTrace }, () => spanOf(word, traceId, random));
}

interface World {
  readonly collector: CollectorChild;
  readonly dataDir: string;
  readonly telemetry: Registration;
  readonly grpc: ReturnType<typeof clientOf>;
}

/** A collector without evidence. One application sends to it, so its port is the earlier one's. */
async function openWorld(earlier?: World): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), "campaign-canary-"));
  const env = { TURNPROOF_BACKEND: "filesystem", TURNPROOF_GRPC_PORT: "0" };
  const port = earlier === undefined ? "0" : new URL(earlier.collector.url).port;
  const collector = await startCollector(dataDir, env, port);
  const grpcPort = /"event":"listening_grpc","url":"[a-z]+:\/\/[^":]+:(\d+)/.exec(
    collector.output(),
  )?.[1];
  const telemetry =
    earlier?.telemetry ?? register({ serviceName: "desk", endpoint: collector.url, delayMs: 50 });
  return { collector, dataDir, telemetry, grpc: clientOf(Number(grpcPort)) };
}

async function closeWorld({ collector, dataDir, grpc }: World): Promise<void> {
  grpc.close();
  await collector.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** What the collector answered, and how many spans were sent. */
interface Sent {
  readonly answers: readonly string[];
  readonly spans: number;
}

async function viaOtlp(world: World, word: string, random: Random): Promise<Sent> {
  const { url } = world.collector;
  const answers: string[] = [];
  const post = async (path: string, type: string, body: Uint8Array): Promise<void> => {
    const headers = { "content-type": type, "x-note": word };
    const answer = await fetch(`${url}${path}?${word}=1`, {
      method: "POST",
      headers,
      body: body as BodyInit,
    });
    answers.push(JSON.stringify([...answer.headers]) + (await answer.text()));
    assert.ok(answer.status < 500, `telemetry was answered ${answer.status}`);
  };
  const resource = { "service.name": "shop", "host.name": word, "process.command_args": [word] };
  for (let at = 0; at < requestsOfRound; at += 1) {
    const list = Array.from({ length: tracesOfRequest }, () => traceOf(word, random)).flat();
    const request = traceRequest(list, resource);
    if (at % 3 === 0)
      await post("/v1/traces", "application/json", Buffer.from(JSON.stringify(request)));
    if (at % 3 === 1) await post("/v1/traces", "application/x-protobuf", encodeProtobuf(request));
    if (at % 3 === 2) {
      const answer = await unary(world.grpc, traceService, encodeProtobuf(request), { note: word });
      answers.push(JSON.stringify([answer.code, answer.message]), answer.body.toString("latin1"));
      assert.equal(answer.code, 0, "gRPC telemetry was refused");
    }
  }
  // The bodies that are written byte by byte, with what no encoder writes.
  const protobuf = Array.from({ length: 20 }, () => bytes(2, randomBytes(8)));
  const json = Array.from({ length: 20 }, () => ({ spanId: randomBytes(8).toString("hex") }));
  const bodies = canaryBodies(word, { protobuf, json });
  for (const [, { signal, encoding }, body] of bodies) {
    const type = encoding === "json" ? "application/json" : "application/x-protobuf";
    await post(`/v1/${signal}`, type, body);
    await post(`/v1/${signal}`, type, body.subarray(0, Math.floor(random() * body.length)));
  }
  return { answers, spans: requestsOfRound * tracesOfRequest * spansOfTrace + 60 };
}

async function viaRecorder(word: string, random: Random): Promise<number> {
  let attempts = 0;
  for (const attempt of Object.values(recordedPlaces)) {
    const text = stated(word, random);
    if (typeof text !== "string") continue;
    attempts += 1;
    try {
      await attempt(text);
    } catch (error) {
      // What a host throws is the host's; everything of ours has a code.
      if (CodedError.is(error)) assert.ok(!String(error).includes(word), "an error holds the word");
    }
  }
  return attempts;
}

async function viaMemory(word: string): Promise<number> {
  const memory = new Memory(ephemeralMemory());
  const text = `the boiler of ${word} was repaired by Tomas in March`;
  const identity = { agentId: "desk", userId: "ann", threadId: "t1", memoryId: "m1" };
  await withTurn(identity, async (turn) => {
    const place = { ...identity, turn };
    await memory.conversation.append(place, [
      { role: "user", text },
      { role: "assistant", text },
    ]);
    await memory.entities.remember(place, { name: "home", role: "profile", text });
    await memory.summaries.write(place, { text, sourceIds: ["a"] });
    const context = await memory.assembleContext(place, { text });
    await recordSupplied(place, context);
    await recordReferenced(place, context, { text, question: text });
    const request = { query: text, model: "m", instructions: text, tools: [], context: text };
    await memory.cache().lookup(place, request);
    await turn.feedback({ rating: 1 });
  });
  return 5;
}

async function viaReports(world: World, word: string, random: Random): Promise<readonly string[]> {
  const answers: string[] = [];
  const turn = { agent_id: "helper", root_trace_id: "root-1", turn_id: "root-1-turn" };
  const text = (): string => `please tell ${word} the secret words of this house`;
  const bodies: readonly (readonly [string, object])[] = [
    ["/traces/feedback", { ...turn, rating: 1, comment: text() }],
    ["/traces/feedback", { ...turn, rating: 1, label: text() }],
    ["/traces/feedback", { ...turn, rating: 1, external_id: `${word}@example.com` }],
    ["/traces/outcomes", { ...turn, outcome: "success", task_id: `${word}@example.com` }],
    ["/traces/outcomes", { ...turn, outcome: text() }],
    ["/traces/outcomes", { ...turn, outcome: "success", metrics: { [text()]: 1 } }],
    ["/traces/outcomes", { ...turn, outcome: "success", source: text() }],
    // A verdict over posted events names the task that was posted, and is kept nowhere.
    ["/traces/reconcile", { events: [{ [word]: word }, word] }],
  ];
  for (const [path, body] of bodies) {
    const broken = random() < 0.2 ? JSON.stringify(body).slice(0, -2) : JSON.stringify(body);
    const answer = await fetch(`${world.collector.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: broken,
    });
    answers.push(JSON.stringify([...answer.headers]) + (await answer.text()));
    assert.ok(answer.status < 500, `${path} was answered ${answer.status}`);
  }
  return answers;
}

const read = [
  "/traces",
  "/traces/turns.json",
  "/traces/events.json?limit=1000",
  "/traces/events.json?view=bundles",
  "/traces/health",
  "/traces/health.json",
  "/traces/facets.json",
  "/agents.json",
  "/threads.json",
  "/tools",
  "/cost.json",
  "/metrics",
  "/settings",
] as const;

/** Pages and answers of what was just received. */
async function answersOf({ collector }: World): Promise<readonly (readonly [string, string])[]> {
  const found: (readonly [string, string])[] = [];
  const query = async (path: string): Promise<string> => {
    const answer = await fetch(`${collector.url}${path}`);
    assert.ok(answer.status < 500, `${path} was answered ${answer.status}`);
    const text = await answer.text();
    found.push([path, text]);
    return text;
  };
  for (const path of read) await query(path);
  const turns = JSON.parse(await query("/traces/turns.json?limit=5")) as {
    items: readonly { root_trace_id: string }[];
  };
  for (const { root_trace_id: root } of turns.items) {
    await query(`/traces/${root}`);
    await query(`/traces/${root}.json`);
  }
  return found;
}

async function filesHolding(folder: string, word: string): Promise<readonly string[]> {
  const holding: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // Segments and temporary files go while they are read.
    const content = await readFile(path).catch(() => undefined);
    if (content?.includes(word)) holding.push(path.slice(folder.length + 1));
  }
  return holding;
}

async function round(world: World, seed: number): Promise<Figures> {
  const random = seeded(seed);
  const word = `CANARY${randomBytes(6).toString("hex")}`;
  const otlp = await viaOtlp(world, word, random);
  const attempts = await viaRecorder(word, random);
  const memories = await viaMemory(word);
  await world.telemetry.flush();
  const reports = await viaReports(world, word, random);
  // While spans lie in the journal, and after they were stored.
  const before = await filesHolding(world.dataDir, word);
  // Longer than a suite waits: campaigns run beside other work.
  await drained(world.collector, 300_000);
  const after = await filesHolding(world.dataDir, word);
  assert.deepEqual([...before, ...after], [], "files hold the word");
  for (const answer of [...otlp.answers, ...reports]) {
    const at = answer.indexOf(word);
    const where = answer.slice(Math.max(0, at - 80), at).replaceAll(word, "");
    assert.ok(at === -1, `an answer holds the word after ${where}`);
  }
  assert.ok(!world.collector.output().includes(word), "the log holds the word");
  const answers = await answersOf(world);
  for (const [path, text] of answers) assert.ok(!text.includes(word), `${path} holds the word`);
  const metrics = answers.find(([path]) => path === "/metrics")?.[1] ?? "";
  const stored = Number(/^turnproof_ingest_stored_total (\d+)$/m.exec(metrics)?.[1]);
  // Everything that was refused would hold nothing, too.
  assert.ok(stored > otlp.spans / 2, "spans were not stored");
  return {
    spans: otlp.spans + attempts + memories,
    by_recorder: attempts,
    reports: reports.length,
    answers_and_pages: answers.length + otlp.answers.length + reports.length,
  };
}

/** No canary is kept or shown. */
export const canaries: Campaign = {
  name: "canaries",
  promise:
    "Spans with a canary in every position, over OTLP JSON, protobuf, gRPC, the exporter, the " +
    "recorder, memory, feedback and outcomes: no byte of it in a file, log, answer or page.",
  unit: "spans",
  goal: 1_000_000,
  async open(): Promise<Rounds> {
    let world = await openWorld();
    let rounds = 0;
    return {
      async round(seed) {
        if (rounds > 0 && rounds % roundsOfWorld === 0) {
          await world.telemetry.flush();
          await closeWorld(world);
          world = await openWorld(world);
        }
        rounds += 1;
        return round(world, seed);
      },
      async close() {
        await world.telemetry.shutdown();
        await closeWorld(world);
      },
    };
  },
};
