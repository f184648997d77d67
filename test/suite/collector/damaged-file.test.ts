/** A damaged evidence file: Health answers, and names it as damage; spans are still taken. */
import { open } from "node:fs/promises";
import { join } from "node:path";

import { createCollector, parseConfig } from "turnproof";
import { filesystem } from "@turnproof/store";
import { afterAll, expect, test } from "vitest";

import { temporaryDirectories } from "../store/temporary-directory.ts";
import { isoOf, start, turnAt } from "./stopped-judge.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const log = { info() {}, warn() {}, error() {} };

test("Health answers while the evidence file is damaged", async () => {
  const dataDir = await directories.make();
  const directory = join(dataDir, "files");
  const provider = await filesystem({ directory });
  for (let root = 0; root < 40; root += 1) {
    const events = turnAt(`root-${root}`, start);
    await provider.evidence.append({ batchId: `${root}`, receivedAt: isoOf(start), events });
  }
  await provider.evidence.close();
  // All pages but the first, which has the version and the schema's place.
  const file = await open(join(directory, "evidence.sqlite"), "r+");
  const { size } = await file.stat();
  await file.write(Buffer.alloc(size - 16_384, 0xa5), 0, size - 16_384, 16_384);
  await file.close();

  const config = parseConfig({ TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "filesystem" });
  const collector = await createCollector({ config, log, judge: false });
  const get = (path: string): Response | Promise<Response> =>
    collector.app.request(`http://127.0.0.1${path}`);
  const health = await get("/traces/health.json");
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({
    collector: {
      store: {
        ok: false,
        code: "store_corrupt",
        reason: expect.stringMatching(/^damaged: files\/evidence\.sqlite; .*turnproof restore/),
      },
    },
    range: null,
  });
  const page = await get("/traces/health");
  expect(page.status).toBe(200);
  const text = await page.text();
  expect(text).toContain("damaged: files/evidence.sqlite");
  expect(text).not.toContain("does not answer");
  // What is gone is unknown, and no zero.
  const metrics = await (await get("/metrics")).text();
  expect(metrics).not.toMatch(/^turnproof_evidence_missing_rows /m);
  await collector.close();
});
