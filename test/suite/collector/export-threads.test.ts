/**
 * An export that the threads of a collector read and write together has the files of one that a
 * single thread makes, part by part, over random histories.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, expect, onTestFinished, test } from "vitest";

import { createClient } from "../../../collector/src/cli/client.ts";
import { exportParts } from "../../../collector/src/cli/export-parts.ts";
import { listen } from "../../../collector/src/server.ts";
import { tableFormatNames } from "../../../collector/src/tables/formats.ts";
import { randomEvent } from "../../../packages/store/src/testing/random-world.ts";
import { startCollector } from "../faults/collector-child.ts";
import { openDesk, quiet } from "./desk.ts";

const folder = mkdtempSync(join(tmpdir(), "turnproof-export-threads-"));
afterAll(() => rmSync(folder, { recursive: true }));

const requests = [
  ...tableFormatNames.map((format) => ({ format, filters: { limit: 40 } })),
  { format: "jsonl", filters: { limit: 20, event_kind: "turn" } },
];

/** The files of each request, in their order. */
async function filesOf(url: string, name: string): Promise<readonly (readonly string[])[]> {
  const all: string[][] = [];
  for (const [at, { format, filters }] of requests.entries()) {
    const out = join(folder, `${name}-${at}`);
    const requested = { folder: out, table: "events", format, filters, resume: false, json: true };
    const { parts } = await exportParts(createClient({ url }), requested);
    all.push(parts.map(({ file }) => readFileSync(join(out, file)).toString("base64")));
  }
  return all;
}

test.each(["filesystem", "clickhouse"])(
  "the threads of a collector export what one thread does (%s)",
  async (backend) => {
    const seed = Math.floor(Math.random() * 1_000_000);
    const dataDir = join(folder, backend);
    const env = { TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: backend };
    const desk = await openDesk(env, { judge: false });
    // In a test the collector has no threads: they need built files.
    const server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
    for (let batch = 0; batch < 12; batch += 1) {
      const minute = String(batch).padStart(2, "0");
      const events = fc.sample(randomEvent, { numRuns: 60, seed: seed + batch });
      await desk.put(events, `2026-11-21T10:${minute}:00.000000Z`);
    }
    const serial = await filesOf(server.url, `${backend}-serial`);
    await server.close(1_000);
    await desk.collector.close();
    expect(serial.map((parts) => parts.length).slice(0, 4)).toEqual(
      tableFormatNames.map(() => serial[0]?.length),
    );
    expect(serial[0]?.length).toBeGreaterThan(4);

    const collector = await startCollector(dataDir, env);
    onTestFinished(async () => void (await collector.stop()));
    // The second time both threads have started.
    for (const time of ["first", "second"]) {
      const files = await filesOf(collector.url, `${backend}-${time}`);
      expect(files, `seed ${seed}`).toEqual(serial);
    }
  },
);
