/**
 * @module Self-tracing: beside OpenTelemetry's own HTTP instrumentation, what carries spans is no
 * span. An application in a process of its own makes a turn with two requests and then idles; the
 * plain SDK in its place is what ours is held to.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { installFolder, line } from "#sdk";

/** The application idles for so long, forty times its batch delay. */
const idleMs = 2_000;
const file = fileURLToPath(new URL("./instrumented-app.ts", import.meta.url));

let folder = "";
let server: Server | undefined;
let child: ChildProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnproof-self-"));
});
afterEach(async () => {
  child?.kill("SIGKILL");
  server?.closeAllConnections();
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Both a collector and the server that the application calls; counts what comes to `/v1/traces`.
 */
async function listen(): Promise<{ readonly url: string; exports: () => number }> {
  let exports = 0;
  const made = createServer((request, response) => {
    if (request.url === "/v1/traces") exports++;
    request.resume().on("end", () => response.writeHead(200).end());
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  const { port } = made.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, exports: () => exports };
}

/** Requests to the collector until the turn was sent, in the idle time after, and spans by kind. */
async function played(mode: string): Promise<{
  readonly sent: number;
  readonly idle: number;
  readonly kinds: readonly number[];
}> {
  const { url, exports } = await listen();
  const given = [mode, url, installFolder, join(folder, mode), String(idleMs)];
  const made = spawn(process.execPath, ["-C", "@turnproof/source", file, ...given], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  child = made;
  const stated = made.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const kinds = JSON.parse(String((await stated.next()).value)) as number[];
  const sent = exports();
  await stated.next();
  made.kill("SIGKILL");
  return { sent, idle: exports() - sent, kinds };
}

describe(`beside HTTP instrumentation, on line ${line}`, () => {
  // The two requests of the turn, as clients, and the turn.
  const kindsOfTheTurn = [2, 2, 0];

  test("ours traces what the application does and nothing of its own, as the plain SDK", async () => {
    const theirs = await played(`plain-${line}`);
    expect(theirs).toMatchObject({ idle: 0, kinds: kindsOfTheTurn });
    const ours = await played("otlp");
    expect(ours.kinds).toEqual(kindsOfTheTurn);
    // A loss report each 100 ms while there is news of the turn; then nothing.
    expect(ours.idle).toBeLessThanOrEqual(1);
    expect(ours.sent).toBeLessThanOrEqual(theirs.sent + 3);
  });

  test.each(["spool", "fetch"])("nor what goes out by a %s", async (mode) => {
    const { idle, kinds } = await played(mode);
    expect(kinds).toEqual(kindsOfTheTurn);
    expect(idle).toBeLessThanOrEqual(1);
  });
});
