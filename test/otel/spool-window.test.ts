/**
 * @module Spool window: how long an ended span is in memory alone, measured by killing the
 * application: the age of the oldest span that neither the collector nor the disk has.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { turnproofProcessor } from "@turnproof/exporter";
import { openJournal } from "@turnproof/journal";
import { attribute } from "@turnproof/semconv";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { ReadableSpanLike } from "../../packages/exporter/src/gate/sdk-shapes.ts";
import { decodeSpans } from "../../packages/exporter/src/spool/span-codec.ts";
import { decodeProtobuf } from "../otlp/encode.ts";
import { createProvider, installFolder, line } from "#sdk";

const file = fileURLToPath(new URL("./window-app.ts", import.meta.url));
const seq = attribute.producer_seq.span;
let folder = "";
let server: Server | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnproof-window-"));
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Numbers in a request, wherever its attributes stand. */
function numbersIn(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(numbersIn);
  if (typeof value !== "object" || value === null) return [];
  const { key, value: held } = value as { key?: unknown; value?: { intValue?: unknown } };
  if (key === seq) return [Number(held?.intValue)];
  return Object.values(value).flatMap(numbersIn);
}

/** A collector that answers with this status and keeps the numbers of what it took. */
async function listen(status: number, taken: Set<number>): Promise<string> {
  const made = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (status === 200) for (const number of numbersIn(decodeProtobuf(body))) taken.add(number);
      return response.writeHead(status).end();
    });
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

/** Milliseconds before the kill in which a span ended that is lost. */
async function lostWindow(status: number, settings: object): Promise<number> {
  const held = new Set<number>();
  const url = await listen(status, held);
  const directory = join(folder, "spool");
  const given = [url, installFolder, directory, JSON.stringify(settings)];
  const child = spawn(process.execPath, ["-C", "@turnproof/source", file, ...given], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (piece: Buffer) => (out += piece.toString()));
  await once(child.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  child.kill("SIGKILL");
  await once(child, "close");
  const journal = await openJournal({ directory });
  for await (const { payload } of journal.read()) {
    for (const span of decodeSpans(payload)?.spans ?? []) held.add(Number(span.attributes[seq]));
  }
  await journal.close();
  const ends = out.trim().split("\n").map(Number);
  const first = ends.findIndex((_, at) => !held.has(at + 1));
  expect(ends.length).toBeGreaterThan(100);
  return first < 0 ? 0 : (ends.at(-1) as number) - (ends[first] as number);
}

describe(`what a SIGKILL loses of an application with a spool, on line ${line}`, () => {
  // Twice the setting's value, and what a busy machine adds; the README has what was measured.
  const slackMs = 400;

  test.each([
    ["written through, by default", 200, { writeThrough: true }, 200 + slackMs],
    ["written through, 20 ms", 200, { writeThrough: true, spoolWindowMs: 20 }, 40 + slackMs],
    ["while the collector fails", 503, {}, 200 + slackMs],
    ["while the collector answers, delay 1 s", 200, {}, 1_200 + slackMs],
    ["while the collector answers, delay 200 ms", 200, { delayMs: 200 }, 400 + slackMs],
  ] as const)("%s", async (_, status, settings, atMostMs) => {
    const lostMs = await lostWindow(status, settings);
    expect(lostMs).toBeLessThanOrEqual(atMostMs);
  });
});

test("a report of a process that an earlier one left spans to does not say since when", async () => {
  const directory = join(folder, "spool");
  const covered: boolean[] = [];
  for (const isAway of [true, false]) {
    const accepted: ReadableSpanLike[] = [];
    const exporter = {
      export(spans: readonly ReadableSpanLike[], done: (result: { code: number }) => void): void {
        if (!isAway) accepted.push(...spans);
        done({ code: isAway ? 1 : 0 });
      },
      shutdown: () => Promise.resolve(),
    };
    const journal = await openJournal({ directory });
    const processor = turnproofProcessor({ exporter, spool: journal });
    const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
    tracer.startSpan("x", { attributes: { "gen_ai.operation.name": "chat" } }).end();
    await processor.forceFlush();
    await processor.shutdown();
    await journal.close();
    const reports = accepted.filter(({ attributes: of }) => attribute.loss_created.span in of);
    covered.push(...reports.map(({ attributes: of }) => attribute.loss_covers_ms.span in of));
  }
  expect(covered).toEqual([false]);
});
