/**
 * Where the embedded engine has no build, evidence is stored in a SQLite file, and this is
 * reported once.
 */
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { engineSentences, openStore } from "./backend.ts";
import { parseConfig } from "../config/read-config.ts";

const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });

test.each([
  ["is not installed", missing, engineSentences.absent],
  ["has no build here", new Error("no native module here"), engineSentences.broken],
])("the filesystem store stands in for an engine that %s", async (_, error, sentence) => {
  const config = parseConfig({ TURNPROOF_DATA_DIR: mkdtempSync(join(tmpdir(), "backend-")) });
  const stated: string[] = [];
  const loadEngine = (): Promise<never> => Promise.reject(error);
  await using store = await openStore(config, {
    print: (text) => void stated.push(text),
    loadEngine,
  });
  expect([store.name, stated]).toEqual(["filesystem", [sentence]]);
  expect((await store.check()).ok).toBe(true);
});

test("data of the engine is never left aside for empty files", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "backend-"));
  mkdirSync(join(dataDir, "clickhouse"));
  const opening = openStore(parseConfig({ TURNPROOF_DATA_DIR: dataDir }), {
    loadEngine: () => Promise.reject(missing),
  });
  await expect(opening).rejects.toMatchObject({
    code: "driver_missing",
    field: "npm install chdb",
  });
});

test("a server needs no engine", async () => {
  const url = "http://127.0.0.1:1/turnproof";
  const config = parseConfig({ TURNPROOF_CLICKHOUSE_URL: url });
  const loadEngine = (): Promise<never> => Promise.reject(new Error("no native module here"));
  const opening = openStore(config, { loadEngine });
  await expect(opening).rejects.toMatchObject({ code: "store_unavailable" });
});
