/** @module Node 20 apps: what `node-20.test.ts` plays; each writes one line of JSON at its end. */

const print = (expression: string): string => `console.log(JSON.stringify(${expression}));`;

const turn = `
async function play() {
  const turnproof = register({ endpoint: process.env.COLLECTOR, serviceName: "desk" });
  const identity = { agentId: "desk", userId: "user_1", memoryId: "shop", threadId: "t1" };
  const carrier = await withTurn(identity, async (turn) => {
    await turn.cacheDecided({ decision: "miss", reason: "no_entry" });
    await turn.supplied({ count: 3, historyCount: 2, profileCount: 1 });
    await turn.modelCall({ model: "gpt-x", provider: "openai" }, (call) =>
      call.respond({ finishReason: "stop", usage: { inputTokens: 210, outputTokens: 42 } }),
    );
    await turn.toolCall({ name: "find_order" }, (call) => call.result({ outcome: "success" }));
    const span = turn.recorder().startSpan("notes.enqueue", { kind: "queue" });
    await span.succeed();
    return span.toCarrier();
  });
  const sink = otelSink();
  const job = await forWorker(JSON.parse(JSON.stringify(carrier)), {
    sink,
    expected: { userId: "user_1" },
  });
  await new ObservabilityRecorder(sink, job).startSpan("notes.write").succeed();
  await turnproof.shutdown();
  const { installed, problem = null, health } = turnproof;
  ${print("{ installed, problem, dropped: health.dropped }")}
}
`;

const recording = ["withTurn", "forWorker", "ObservabilityRecorder", "otelSink"].join(", ");

const unaware = `
import { trace } from "@opentelemetry/api";
const turn = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Desk" };
const chat = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" };
const tracer = trace.getTracer("app");
tracer.startActiveSpan("a turn", { attributes: turn }, (span) => {
  tracer.startSpan("a chat", { attributes: chat }).end();
  span.end();
});
${print('"done"')}
`;

const ending = `
import { register } from "@turnproof/exporter/register";
import { withTurn } from "@turnproof/instrumentation";
register({ endpoint: process.env.COLLECTOR });
await withTurn({ agentId: "desk", threadId: "t1" }, () => undefined);
${print('"ended"')}
`;

const spooling = `
import { openJournal } from "@turnproof/journal";
import { register } from "@turnproof/exporter/register";
import { withTurn } from "@turnproof/instrumentation";
const spool = await openJournal({ directory: "spool" });
const turnproof = register({ endpoint: process.env.COLLECTOR, spool, retryBaseMs: 10 });
await withTurn({ agentId: "desk", threadId: "t1" }, () => undefined);
await turnproof.flush();
await turnproof.shutdown();
const { spooled, inherited, dropped } = turnproof.health;
await spool.close();
${print("{ spooled, inherited, dropped }")}
`;

const stores = `
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reconcileOutcome } from "@turnproof/evidence";
import { openJournal, startDrain } from "@turnproof/journal";
import { Memory } from "@turnproof/memory";
import { groupBy } from "@turnproof/semconv";
import { ephemeral, filesystem } from "@turnproof/store";

const directory = await mkdtemp(join(tmpdir(), "first-node-"));
const receivedAt = new Date().toISOString();
const event = (id) => ({
  schema_version: 3, event_id: id, event_kind: "span", phase: "result", status: "success",
  timestamp: receivedAt, received_at: receivedAt, root_trace_id: "ab".repeat(16),
  user_id: "user_1", thread_id: "t1", attributes: {},
});
const journal = await openJournal({ directory: join(directory, "journal") });
const held = ephemeral();
const files = await filesystem({ directory: join(directory, "files") });
const drain = startDrain({
  journal,
  store: {
    append: (batch) => held.append(batch),
    readBack: (id, at) => held.readBack(id, at),
  },
  decode: (payload) => ({ events: JSON.parse(Buffer.from(payload).toString()) }),
});
for (const id of ["e0", "e1", "e2"]) {
  await journal.append({ payload: Buffer.from(JSON.stringify([event(id)])), spans: 1 });
}
await drain.idle();
const read = async (store) => {
  const page = await store.page({ tenant: "user_1" }, { thread_id: "t1" }, { limit: 10 });
  return page.events.map(({ event_id }) => event_id).sort();
};
const place = { userId: "user_1", agentId: "desk", memoryId: "shop", threadId: "t1" };
const memory = new Memory(files.memory);
await memory.entities.remember(place, { name: "home_city", role: "profile", text: "Lisbon" });
await memory.learning.candidates(place);
const told = {
  drained: drain.stats().storedEvents,
  pending: journal.stats().pendingFrames,
  ephemeral: await read(held),
  filesystem: await read(files.evidence).catch(({ code, field }) => [code, field]),
  checked: (await files.evidence.check()).code,
  remembered: (await memory.entities.list(place)).map(({ name }) => name),
  verdict: reconcileOutcome([]).status,
  groups: [...groupBy([1, 2, 3], (one) => one % 2)].map(([, own]) => own.length).sort(),
};
await drain.close();
await journal.close();
await files.close();
${print("told")}
`;

const entries = `
import { readFile, readdir } from "node:fs/promises";
const failed = [];
for (const name of await readdir("node_modules/@turnproof")) {
  const file = "node_modules/@turnproof/" + name + "/package.json";
  const { exports } = JSON.parse(await readFile(file, "utf8"));
  for (const entry of Object.keys(exports)) {
    // The kit of tests needs Vitest, which needs a later Node.
    if (entry.endsWith(".json") || entry === "./testing" || entry.endsWith("/auto")) continue;
    const specifier = "@turnproof/" + name + entry.slice(1);
    await import(specifier).catch((error) => failed.push([specifier, error.message]));
  }
}
${print("failed")}
`;

/** Files by name. */
export const apps: Readonly<Record<string, string>> = {
  "turn.mjs": `
import { register } from "@turnproof/exporter/register";
import { ${recording} } from "@turnproof/instrumentation";
${turn}
await play();
`,
  "turn.cjs": `
const { register } = require("@turnproof/exporter/register");
const { ${recording} } = require("@turnproof/instrumentation");
${turn}
play();
`,
  "unaware.mjs": unaware,
  "ending.mjs": ending,
  "spooling.mjs": spooling,
  "stores.mjs": stores,
  "entries.mjs": entries,
};
