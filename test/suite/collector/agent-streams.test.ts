/** Runs that take their time: heartbeats, callers that leave, hooks that throw. */
import { serve } from "@hono/node-server";
import { ephemeral } from "@turnproof/store";
import type { AgentPort } from "turnproof";
import { afterEach, expect, test, vi } from "vitest";

import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

/** An agent that streams on command, and notices when its listener is gone. */
function patientAgent() {
  const allowed = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const given = Promise.withResolvers<unknown>();
  const until = (signal: AbortSignal): Promise<void> => {
    began.resolve();
    const left = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => {
        given.resolve(signal.reason);
        reject(signal.reason as Error);
      });
    });
    return Promise.race([allowed.promise, left]);
  };
  const port: AgentPort = {
    list: async () => ["desk"],
    run: async (_agent, _input, { signal }) => {
      await until(signal);
      return { text: "canary-free" };
    },
    async *stream(_agent, _input, { signal }) {
      yield { type: "run.started" };
      await until(signal);
      yield { type: "run.done", status: "success" };
    },
  };
  return { port, send: allowed.resolve, began: began.promise, givenUp: given.promise };
}

const path = "/agents/desk/playground/stream";
const form = { query: "Hello" };
const request = { method: "POST", body: new URLSearchParams(form) };
const open: Desk[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const desk of open.splice(0)) await desk.collector.close();
});

async function deskWith(agents: AgentPort): Promise<Desk> {
  const desk = await openDesk({}, { hooks: { agents }, store: ephemeral(), judge: false });
  open.push(desk);
  return desk;
}

test("a stream that is silent beats every 15 seconds, and no more once it has ended", async () => {
  const agent = patientAgent();
  const desk = await deskWith(agent.port);
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const response = await desk.collector.app.request(`http://localhost:4318${path}`, request);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const read = async (part: string): Promise<void> => {
    while (!text.includes(part)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the stream ended without ${part}`);
      text += value;
    }
  };
  await read("event: run.started");
  await agent.began;
  vi.advanceTimersByTime(14_999);
  vi.advanceTimersByTime(1);
  await read("event: heartbeat\ndata: {}\n\n");
  expect(text.match(/event: heartbeat/g)).toHaveLength(1);
  vi.advanceTimersByTime(30_000);
  agent.send();
  await read("event: run.done");
  expect(text.match(/event: heartbeat/g)).toHaveLength(3);
  // A beat has no id, so that a resumed stream does not count it.
  expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual(["1", "2"]);
  expect((await reader.read()).done).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test.each(["/agents/desk/run", path])("whoever leaves %s cancels the turn", async (route) => {
  const agent = patientAgent();
  const desk = await deskWith(agent.port);
  const server = serve({ fetch: desk.collector.app.fetch, hostname: "127.0.0.1", port: 0 });
  await new Promise<void>((resolve) => server.once("listening", () => resolve()));
  const address = server.address() as { port: number };
  const leave = new AbortController();
  const answer = fetch(`http://127.0.0.1:${address.port}${route}`, {
    ...request,
    signal: leave.signal,
  }).then(async (response) => response.text());
  answer.catch(() => {});
  await agent.began;
  leave.abort();
  await expect(answer).rejects.toThrow(/abort/i);
  await agent.givenUp;
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

test("a collector that closes ends a run that is under way", async () => {
  const agent = patientAgent();
  const desk = await deskWith(agent.port);
  const run = Promise.resolve(
    desk.collector.app.request("http://localhost:4318/agents/desk/run", request),
  );
  await agent.began;
  desk.collector.endStreams();
  await agent.givenUp;
  expect((await run).status).toBe(503);
});

test("a hook that throws at once is a code, and nothing of it is left to fail later", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  const desk = await deskWith({
    ...patientAgent().port,
    run: () => {
      throw new Error("canary-thrown");
    },
  });
  const response = await desk.collector.app.request(
    "http://localhost:4318/agents/desk/run",
    request,
  );
  expect(response.status).toBe(500);
  const body = await response.text();
  expect(body).toContain("internal_error");
  expect(body).not.toContain("canary");
  // What was waiting for the hook's time to be over rejects now, when the listener is gone.
  desk.collector.endStreams();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});
