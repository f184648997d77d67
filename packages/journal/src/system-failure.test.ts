/** A journal that cannot be opened names the path and the system's reason. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { nodeFileSystem } from "./file-system.ts";
import { inspectJournal } from "./inspect.ts";
import { openJournal } from "./open-journal.ts";
import { systemField } from "./system-failure.ts";

const folder = mkdtempSync(join(tmpdir(), "turnproof-refused-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("an opening and an inspection name what the system refused", async () => {
  const directory = join(folder, "journal");
  writeFileSync(directory, "");
  const field = expect.stringMatching(new RegExp(`^${directory}(?:/.*)?: (?:ENOTDIR|EEXIST)$`));
  const failed = { code: "journal_failed", field };
  await expect(openJournal({ directory })).rejects.toMatchObject(failed);
  await expect(inspectJournal(directory)).rejects.toMatchObject(failed);
});

test("a disk without writes is named by the directory where the call has no path", async () => {
  const directory = join(folder, "closed");
  const error = Object.assign(new Error("refused"), { code: "EROFS", syscall: "fsync" });
  const fileSystem = { ...nodeFileSystem, open: () => Promise.reject(error) };
  await expect(openJournal({ directory, fileSystem })).rejects.toMatchObject({
    code: "journal_failed",
    field: `${directory}: EROFS`,
  });
  expect(systemField(new Error("other", { cause: error }), "place")).toBe("place: EROFS");
  expect(systemField(new Error("other"), "place")).toBeUndefined();
});
