/**
 * @module Process end: an application whose collector is dead ends soon after its last work, prints
 * in one line what was lost, and does not send it to a dead collector.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { openJournal } from "@turnproof/journal";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { installFolder, line } from "#sdk";

const file = fileURLToPath(new URL("./ending-app.ts", import.meta.url));
let server: Server | undefined;
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnproof-end-"));
});
afterEach(async () => {
  server?.close();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Runs the application to its end; `lateMs`: how long it ran after its last work, by its clock. */
async function ended(
  ending: string,
  url: string,
  options: { readonly spool?: string; readonly env?: Record<string, string> } = {},
): Promise<{ readonly lateMs: number; readonly stated: string; readonly code: number | null }> {
  const given = [ending, url, installFolder, options.spool ?? ""];
  const child = spawn(process.execPath, ["-C", "@turnproof/source", file, ...given], {
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const gone = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [out, stated] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { lateMs: out === "" ? Number.NaN : Number(out), stated, code: await gone };
}

async function listen(made: Server): Promise<string> {
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

/** A port without a listener. */
async function refusing(): Promise<string> {
  const url = await listen(createServer());
  await new Promise((resolve) => server?.close(resolve));
  return url;
}

/** Takes connections and never sends anything. */
const silent = (): Promise<string> => listen(createServer((socket) => void socket.unref()));

const lost = (codes: string): RegExp =>
  new RegExp(`^turnproof: 2 evidence spans \\(${codes} 2\\) were lost\\. [^\\n]+\\n$`);

describe(`an application that ends, on line ${line}`, () => {
  test.each([
    ["natural", refusing, "not_sent"],
    ["late", refusing, "not_sent"],
    ["flush", refusing, "not_sent"],
    ["shutdown", refusing, "shutdown_deadline"],
    ["natural", silent, "not_sent"],
    ["shutdown", silent, "shutdown_deadline"],
  ] as const)("%s, %o: within 3 s, with one line", async (ending, dead, codes) => {
    const { lateMs, stated, code } = await ended(ending, await dead());
    expect(stated).toMatch(lost(codes));
    expect(stated).not.toContain("127.0.0.1");
    expect(lateMs).toBeLessThan(3_000);
    expect(code).toBe(0);
  });

  test("says nothing where OpenTelemetry is told to be silent, and nothing where all arrived", async () => {
    const none = await ended("natural", await refusing(), { env: { OTEL_LOG_LEVEL: "none" } });
    expect(none).toMatchObject({ stated: "", code: 0 });
    let requests = 0;
    const taking = createHttpServer((request, response) => {
      request.resume().on("end", () => {
        requests++;
        response.writeHead(200).end();
      });
    });
    const { lateMs, stated } = await ended("natural", await listen(taking));
    expect(stated).toBe("");
    expect(requests).toBeGreaterThan(0);
    expect(lateMs).toBeLessThan(1_500);
  });

  test("a collector that fails is not asked to take the report of it", async () => {
    const bodies: string[] = [];
    const failing = createHttpServer((request, response) => {
      void text(request).then((body) => {
        bodies.push(body);
        return response.writeHead(500).end();
      });
    });
    const { stated } = await ended("shutdown", await listen(failing));
    expect(stated).toMatch(lost("export_failed"));
    expect(bodies).toHaveLength(1);
    expect(bodies.join()).not.toContain("loss_report");
  });

  test("with a spool nothing is lost, and one line says what waits", async () => {
    const spool = join(folder, "spool");
    const { lateMs, stated } = await ended("natural", await refusing(), { spool });
    expect(stated).toBe("turnproof: 2 evidence spans wait in the spool for the next process.\n");
    expect(lateMs).toBeLessThan(3_000);
    const journal = await openJournal({ directory: spool });
    expect(journal.stats().pendingSpans).toBe(2);
    await journal.close();
  });

  test.each([
    ["natural", 4],
    ["idle", 2],
    ["shutdown", 4],
    ["flush", 4],
  ] as const)("%s: a short process sends what a killed one left", async (ending, spans) => {
    const spool = join(folder, "spool");
    const dead = await refusing();
    expect(await ended("killed", dead, { spool })).toMatchObject({ stated: "", code: null });
    const waiting = await ended(ending, dead, { spool });
    const own = spans - 2;
    expect(waiting.stated).toBe(
      `turnproof: ${own} evidence spans wait in the spool for the next process, ` +
        "and 2 spans of an earlier one.\n",
    );
    expect(waiting.lateMs).toBeLessThan(3_000);
    let arrived = 0;
    const taking = createHttpServer((request, response) => {
      void buffer(request).then((body) => {
        if (body.includes("invoke_agent")) arrived += 1;
        return response.writeHead(200).end();
      });
    });
    const { lateMs, stated } = await ended(ending, await listen(taking), { spool });
    expect(stated).toBe("");
    expect(arrived).toBeGreaterThan(0);
    expect(lateMs).toBeLessThan(3_000);
    const journal = await openJournal({ directory: spool });
    expect(journal.stats().pendingSpans).toBe(0);
    await journal.close();
  });
});
