/** @module Crash: what kill -9 leaves of an application with a spool, and of one without. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ReadableSpanLike } from "@turnproof/exporter";
import { turnproofProcessor } from "@turnproof/exporter";
import { openJournal } from "@turnproof/journal";
import { attribute } from "@turnproof/semconv";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { installFolder, line } from "#sdk";

let folder = "";
let server: Server | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnproof-crash-"));
});

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Listens on a port of its own and keeps the bodies. */
async function listen(bodies: string[]): Promise<string> {
  const made = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      bodies.push(Buffer.concat(parts).toString("latin1"));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

/** Exit code and signal of a process. */
type Ending = [code: number | null, signal: NodeJS.Signals | null];

/** An application in a process of its own that plays some turns and then waits to be killed. */
function application(text: string): Promise<(signal?: NodeJS.Signals) => Promise<Ending>> {
  const source = `
import { register } from "@turnproof/exporter/register";
import { openJournal } from "@turnproof/journal";
import { trace } from "@opentelemetry/api";
${text}
console.log("ready");
setInterval(() => {}, 1_000);
`;
  const flags = ["-C", "@turnproof/source", "--input-type=module", "-e", source];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, flags, {
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const gone = once(child, "exit");
    child.stdout.once("data", () =>
      resolve(async (signal = "SIGKILL") => {
        child.kill(signal);
        return (await gone) as Ending;
      }),
    );
    child.once("error", reject);
  });
}

const href = (path: string): string => JSON.stringify(path);

describe(`a killed application on line ${line}`, () => {
  test("leaves the start of its open turn with the collector", async () => {
    const bodies: string[] = [];
    const url = await listen(bodies);
    const kill = await application(`
const turnproof = register({
  endpoint: ${href(url)}, resolveFrom: ${href(installFolder)}, delayMs: 60_000, variables: {},
});
trace.getTracer("app").startSpan("turn", { attributes: { "gen_ai.operation.name": "invoke_agent" } });
`);
    await expect.poll(() => bodies.join(), { timeout: 10_000 }).toContain(":start");
    await kill();
    expect(bodies.join()).toContain("invoke_agent");
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "sends what it has on %s, and ends by it",
    async (signal) => {
      const bodies: string[] = [];
      const url = await listen(bodies);
      const end = await application(`
register({
  endpoint: ${href(url)}, resolveFrom: ${href(installFolder)}, delayMs: 600_000, variables: {},
});
const attributes = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-x" };
trace.getTracer("app").startSpan("x", { attributes }).end();
`);
      expect(bodies).toEqual([]);
      expect(await end(signal)).toEqual([null, signal]);
      expect(bodies.join()).toContain("chat gpt-x");
    },
  );

  test.each(["SIGTERM", "SIGINT"] as const)(
    "leaves to a host that listens how it ends on %s",
    async (signal) => {
      const bodies: string[] = [];
      const url = await listen(bodies);
      const end = await application(`
const turnproof = register({
  endpoint: ${href(url)}, resolveFrom: ${href(installFolder)}, delayMs: 600_000, variables: {},
});
process.once(${JSON.stringify(signal)}, async () => {
  await turnproof.shutdown();
  await new Promise((resolve) => setTimeout(resolve, 50));
  process.exit(7);
});
const attributes = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-x" };
trace.getTracer("app").startSpan("x", { attributes }).end();
`);
      expect(await end(signal)).toEqual([7, null]);
      expect(bodies.join()).toContain("chat gpt-x");
    },
  );

  test("leaves on the disk what was written through, for the next process, once", async () => {
    const kill = await application(`
const spool = await openJournal({ directory: ${href(join(folder, "spool"))} });
const turnproof = register({
  endpoint: "http://127.0.0.1:9", resolveFrom: ${href(installFolder)},
  spool, writeThrough: true, variables: {}, exportTimeoutMs: 100,
});
for (let at = 0; at < 50; at++) {
  const attributes = { "gen_ai.operation.name": "chat", "gen_ai.input.messages": "CANARY" };
  trace.getTracer("app").startSpan("CANARY", { attributes }).end();
}
void turnproof.flush();
while (turnproof.health.spooled < 50) await new Promise((resolve) => setTimeout(resolve, 10));
`);
    await kill();
    const spool = await openJournal({ directory: join(folder, "spool") });
    expect(spool.stats().pendingSpans).toBe(50);
    const accepted: ReadableSpanLike[] = [];
    const processor = turnproofProcessor({
      spool,
      exporter: {
        export(spans: ReadableSpanLike[], done: (answer: { code: number }) => void) {
          accepted.push(...spans);
          done({ code: 0 });
        },
        shutdown: async () => {},
      },
    });
    await expect.poll(() => spool.stats().pendingSpans, { timeout: 10_000 }).toBe(0);
    const numbers = accepted.map((span) => span.attributes[attribute.producer_seq.span]);
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
    expect(JSON.stringify(accepted)).not.toContain("CANARY");
    await processor.shutdown();
    await spool.close();
  });
});
