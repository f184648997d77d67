/**
 * @module Backup: what docs/operate/backup.md says. A copied data directory answers as the one that
 * was lost; a database that was copied after the data directory has each event once.
 */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import type { PlainSpan } from "../../otlp/encode.ts";
import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { startCollector } from "../faults/collector-child.ts";
import type { CollectorChild } from "../faults/collector-child.ts";

const turns = 12;
let server: PostgresServer;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "turnproof-backup-"));
  server = await startPostgres();
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

const traceOf = (at: number): string => (at + 1).toString(16).padStart(32, "0");

async function send(collector: CollectorChild): Promise<void> {
  const startMs = Date.now() - 60_000;
  const spans = Array.from({ length: turns }, (_, at): readonly PlainSpan[] =>
    ["a", "b"].map((id) => ({
      traceId: traceOf(at),
      spanId: `${id}${at.toString(16)}`.padStart(16, "0"),
      ...(id === "a" ? {} : { parentSpanId: `a${at.toString(16)}`.padStart(16, "0") }),
      name: id === "a" ? "invoke_agent desk" : "chat m-1",
      startTimeUnixNano: `${startMs}000000`,
      endTimeUnixNano: `${startMs + 40}000000`,
      attributes:
        id === "a"
          ? { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk" }
          : { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1" },
    })),
  );
  const { status } = await fetch(`${collector.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/x-protobuf" },
    body: encodeProtobuf(traceRequest(spans.flat())) as Uint8Array<ArrayBuffer>,
  });
  expect(status).toBe(200);
}

/** Every event of every turn, once all of them can be read. */
async function told(collector: CollectorChild): Promise<readonly unknown[]> {
  return vi.waitFor(
    async () => {
      const path = `${collector.url}/traces/events.json?limit=1000`;
      const { items } = (await (await fetch(path)).json()) as {
        readonly items: readonly unknown[];
      };
      expect(items).toHaveLength(turns * 2);
      return items;
    },
    { timeout: 60_000, interval: 200 },
  );
}

test.each(["filesystem", "clickhouse"])("a copied directory of %s", async (backend) => {
  const [lost, copy] = [join(directory, `${backend}-lost`), join(directory, `${backend}-copy`)];
  const env = { TURNPROOF_BACKEND: backend };
  const first = await startCollector(lost, env);
  await send(first);
  const before = await told(first);
  expect(await first.stop()).toBe(0);
  await cp(lost, copy, { recursive: true });
  await rm(lost, { recursive: true });
  const second = await startCollector(copy, env);
  expect(await told(second)).toEqual(before);
  expect(await second.stop()).toBe(0);
});

test("a database that is copied after the data directory has each event once", async () => {
  const [lost, copy] = [join(directory, "server-lost"), join(directory, "server-copy")];
  const database = await server.createDatabase();
  const env = { TURNPROOF_BACKEND: "postgres", TURNPROOF_POSTGRES_URL: server.url(database) };
  const first = await startCollector(lost, env);
  await send(first);
  // Acknowledged and, most of it, still in the journal.
  await first.kill();
  await cp(lost, copy, { recursive: true });
  const again = await startCollector(lost, env);
  const before = await told(again);
  expect(await again.stop()).toBe(0);
  const restored = await server.createDatabase({ like: database });
  const second = await startCollector(copy, {
    ...env,
    TURNPROOF_POSTGRES_URL: server.url(restored),
  });
  expect(await told(second)).toEqual(before);
  expect(await second.stop()).toBe(0);
});
