/**
 * @module Refused permanently: a receiver that answers 400, 413 or 422 to one span of a spool keeps
 * nothing behind it waiting; a wrong token, or a receiver that is busy, keeps everything.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { turnproofProcessor } from "@turnproof/exporter";
import type { Journal } from "@turnproof/journal";
import { openJournal } from "@turnproof/journal";
import { otlpExporter } from "@turnproof/exporter/register";
import { attribute } from "@turnproof/semconv";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { createProvider, installFolder, line } from "#sdk";

let folder = "";
let server: Server;
let spool: Journal;
/** Status of the answer to a body; 200 where it is undefined. */
let judge: (body: string) => number | undefined = () => undefined;
let taken: string[] = [];

beforeEach(async () => {
  taken = [];
  folder = await mkdtemp(join(tmpdir(), "turnproof-refused-"));
  spool = await openJournal({ directory: folder });
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString("latin1");
      const status = judge(body) ?? 200;
      if (status === 200) taken.push(...(body.match(/model_[a-z]+_/g) ?? []));
      response.writeHead(status, { "content-type": "application/x-protobuf" }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await spool.close();
  await rm(folder, { recursive: true, force: true });
});

/** A processor that sends to the server, and a way to end a model call of a name. */
function sending(): {
  readonly processor: ReturnType<typeof turnproofProcessor>;
  readonly play: (...names: string[]) => void;
} {
  const { port } = server.address() as AddressInfo;
  const exporter = otlpExporter({ url: `http://127.0.0.1:${port}/v1/traces` }, installFolder);
  const processor = turnproofProcessor({ exporter, spool, delayMs: 5, exportTimeoutMs: 2_000 });
  const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
  const play = (...names: string[]): void => {
    for (const name of names) {
      const attributes = {
        [attribute.genai_operation.span]: "chat",
        [attribute.model.span]: `model_${name}_`,
      };
      tracer.startSpan("x", { attributes }).end();
    }
  };
  return { processor, play };
}

const models = (): string[] => [...new Set(taken)].toSorted((a, b) => (a < b ? -1 : 1));

describe(`a spool on line ${line}`, () => {
  test.each([400, 413, 422])("%i to one span costs that span alone", async (status) => {
    judge = (body) => (body.includes("model_bad") ? status : undefined);
    const { processor, play } = sending();
    play("a", "b", "bad", "c", "d");
    await processor.forceFlush();
    play("e");
    await processor.forceFlush();
    await expect.poll(() => processor.health.spooled, { timeout: 30_000 }).toBe(0);
    expect(models()).toEqual(["model_a_", "model_b_", "model_c_", "model_d_", "model_e_"]);
    expect(processor.health).toMatchObject({
      created: 6,
      exported: 5,
      dropped: { export_refused: 1 },
    });
    expect(spool.stats().pendingFrames).toBe(0);
    await processor.shutdown();
  });

  test.each([401, 403, 404])("%i loses nothing", async (status) => {
    let wrong = true;
    judge = () => (wrong ? status : undefined);
    const { processor, play } = sending();
    play("a", "b");
    await processor.forceFlush();
    await expect.poll(() => processor.health.spooled, { timeout: 30_000 }).toBe(2);
    wrong = false;
    await expect.poll(() => processor.health.exported, { timeout: 30_000 }).toBe(2);
    expect(models()).toEqual(["model_a_", "model_b_"]);
    expect(processor.health.dropped).toEqual({});
    await processor.shutdown();
  });

  test("what an earlier process left is sent around a span that is refused, and is not in our counts", async () => {
    judge = () => 401;
    const first = sending();
    first.play("a", "bad", "b");
    await first.processor.shutdown();
    judge = (body) => (body.includes("model_bad") ? 400 : undefined);
    const second = sending();
    await expect.poll(() => spool.stats().pendingFrames, { timeout: 30_000 }).toBe(0);
    expect(models()).toEqual(["model_a_", "model_b_"]);
    expect(second.processor.health).toMatchObject({ created: 0, exported: 0, dropped: {} });
    await second.processor.shutdown();
  });
});
