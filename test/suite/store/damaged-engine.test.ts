/** Damage of an embedded engine's files is called damage. */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { clickhouse } from "@turnproof/store";
import { afterAll, expect, test } from "vitest";

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

test("a damaged definition of a table is damage, and not an absence", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "turnproof-damaged-"));
  folders.push(dataDir);
  const store = await clickhouse({ connection: { dataDir } });
  await store.close();
  const files = (await readdir(join(dataDir, "clickhouse"), { recursive: true })).filter((name) =>
    name.endsWith("bundles.sql"),
  );
  expect(files.length).toBeGreaterThan(0);
  for (const name of files) await writeFile(join(dataDir, "clickhouse", name), "damaged");
  await expect(clickhouse({ connection: { dataDir } })).rejects.toMatchObject({
    code: "store_corrupt",
    field: "clickhouse",
  });
});
