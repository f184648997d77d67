/** Where the embedded engine has no build, evidence lies in plain files, and that is said once. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { noEngineSentence, openStore } from "./backend.ts";
import { parseConfig } from "./config.ts";

test("the filesystem store stands in for an engine that cannot be loaded", async () => {
  const config = parseConfig({ TURNPROOF_DATA_DIR: mkdtempSync(join(tmpdir(), "backend-")) });
  const said: string[] = [];
  const loadEngine = (): Promise<never> => Promise.reject(new Error("no native module here"));
  await using store = await openStore(config, { say: (text) => void said.push(text), loadEngine });
  expect([store.name, said]).toEqual(["filesystem", [noEngineSentence]]);
  expect((await store.check()).ok).toBe(true);
});

test("a server needs no engine", async () => {
  const url = "http://127.0.0.1:1/turnproof";
  const config = parseConfig({ TURNPROOF_CLICKHOUSE_URL: url });
  const loadEngine = (): Promise<never> => Promise.reject(new Error("no native module here"));
  const opening = openStore(config, { loadEngine });
  await expect(opening).rejects.toMatchObject({ code: "store_unavailable" });
});
