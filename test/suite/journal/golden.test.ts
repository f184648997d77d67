/** Directories that earlier versions wrote stay readable; newer ones are refused, untouched. */
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, expect, test } from "vitest";

import { openJournal } from "@turnproof/journal";

import { pendingTexts } from "./simulated-journal.ts";

const golden = fileURLToPath(new URL("../../golden/journal", import.meta.url));

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "golden-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function bytesOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const name of await readdir(folder)) {
    files.set(name, (await readFile(join(folder, name))).toString("hex"));
  }
  return files;
}

test("version 1 is read", async () => {
  await cp(join(golden, "v1"), directory, { recursive: true });
  const journal = await openJournal({ directory });
  expect(await pendingTexts(journal)).toEqual(
    Array.from({ length: 10 }, (_, index) => `{"event":${index + 3}}`),
  );
  expect(journal.stats()).toMatchObject({
    drainedThrough: 2,
    acknowledgedThrough: 12,
    pendingFrames: 10,
    pendingSpans: 75,
    quarantinedSpans: 1,
    corruptRanges: 0,
  });
  expect(journal.planned()).toEqual([5]);
  for await (const record of journal.quarantined()) {
    expect(record).toMatchObject({ code: "store_rejected_row", rows: [1], spans: 1 });
  }
  await journal.close();
});

test("a newer version is refused in words, and nothing is changed", async () => {
  await cp(join(golden, "newer"), directory, { recursive: true });
  const before = await bytesOf(directory);
  const refused = openJournal({ directory });
  await expect(refused).rejects.toMatchObject({
    code: "store_version_newer",
    message: "store_version_newer: The data was written by a newer version.",
  });
  expect(await bytesOf(directory)).toEqual(before);
});
