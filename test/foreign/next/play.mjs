/**
 * @module Builds the application, starts its server, sends requests, and ends it as a host does.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const here = import.meta.dirname;
const guard = join(here, "../guard-sockets.cjs");
const bin = join(here, "node_modules/next/dist/bin/next");
const env = { ...process.env, NODE_OPTIONS: `--require ${guard}` };
const startMsMax = 30_000;

/** Runs a command of Next.js, which ends with this process. */
function next(...given) {
  const child = spawn(process.execPath, [bin, ...given], {
    cwd: here,
    env,
    stdio: ["ignore", 1, 2],
  });
  process.once("SIGTERM", () => {
    child.kill("SIGTERM");
    process.exit(1);
  });
  return child;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Throws unless an answer has this status; gives its text. */
async function expectStatus(status, url, body) {
  const response = await fetch(url, body && { method: "POST", body: JSON.stringify(body) });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${url} answered ${response.status}: ${text}`);
  return text;
}

/** Waits until something listens; the last refusal is the error. */
async function listening(url) {
  for (const until = Date.now() + startMsMax; ; await sleep(200)) {
    try {
      return await fetch(url);
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

const [built] = await once(next("build"), "exit");
if (built !== 0) throw new Error(`next build ended with ${built}`);
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const server = next("start", "-p", String(port), "-H", "127.0.0.1");
const ended = once(server, "exit");
try {
  await listening(`${url}/api/edge`);
  const edge = await expectStatus(200, `${url}/api/edge`);
  if (edge !== '{"runtime":"edge"}') throw new Error(`the edge route answered ${edge}`);
  await expectStatus(200, `${url}/api/ask`, { prompt: "CANARY", threadId: "thread-next" });
  await expectStatus(500, `${url}/api/ask`, { prompt: "CANARY FAIL", threadId: "thread-next-2" });
} finally {
  server.kill("SIGTERM");
  await ended;
}
