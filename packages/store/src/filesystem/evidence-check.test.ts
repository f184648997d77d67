/** Checks of an evidence file: each kind of damage by its name, without a change. */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdtempSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { openSqlite } from "../sqlite/sqlite-database.ts";
import { receivedAt, sampleTurn } from "../testing/sample-event.ts";
import { checkEvidenceFile } from "./evidence-check.ts";
import { filesystem } from "./filesystem.ts";

const folder = mkdtempSync(join(tmpdir(), "turnproof-look-"));
/** Files of a store with rows: after it was closed, and while it is open with a log. */
const [closed, open] = [join(folder, "closed"), join(folder, "open")];
let copies = 0;

beforeAll(async () => {
  await using provider = await filesystem({ directory: closed });
  for (let n = 0; n < 50; n += 1) {
    const events = sampleTurn(`root-${n}`, { user_id: "ann" });
    await provider.evidence.append({ batchId: `b${n}`, receivedAt: receivedAt(n), events });
  }
  expect(await checkEvidenceFile(closed)).toEqual({ found: "whole" });
  mkdirSync(open);
  for (const end of ["", "-wal"]) {
    copyFileSync(join(closed, `evidence.sqlite${end}`), join(open, `evidence.sqlite${end}`));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A copy that a test may damage. */
function copyOf(of: string): { readonly at: string; readonly file: string } {
  copies += 1;
  const at = join(folder, `copy-${copies}`);
  mkdirSync(at);
  for (const name of readdirSync(of).filter((one) => one.startsWith("evidence"))) {
    copyFileSync(join(of, name), join(at, name));
  }
  return { at, file: join(at, "evidence.sqlite") };
}

function changed(file: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  change(bytes);
  writeFileSync(file, bytes);
}

test("a whole file, closed or with a log, and none; nothing is made or changed", async () => {
  expect(await checkEvidenceFile(join(folder, "not-there"))).toEqual({ found: "none" });
  const before = readFileSync(join(closed, "evidence.sqlite"));
  expect(await checkEvidenceFile(closed)).toEqual({ found: "whole" });
  expect(readdirSync(closed).filter((name) => name.startsWith("evidence"))).toEqual([
    "evidence.sqlite",
  ]);
  expect(readFileSync(join(closed, "evidence.sqlite")).equals(before)).toBe(true);
  expect(await checkEvidenceFile(copyOf(open).at)).toEqual({ found: "whole" });
});

test.each<[string, (bytes: Buffer) => void]>([
  ["the header", (bytes) => void bytes.fill(0x5a, 0, 16)],
  ["a page in the middle", (bytes) => void bytes.fill(0x5a, 8 * 4_096, 9 * 4_096)],
])("damage of %s", async (_what, change) => {
  const { at, file } = copyOf(closed);
  changed(file, change);
  expect(await checkEvidenceFile(at)).toEqual({ found: "damaged" });
});

test("a file that is cut off", async () => {
  const { at, file } = copyOf(closed);
  truncateSync(file, Math.floor(readFileSync(file).length / 2));
  expect(await checkEvidenceFile(at)).toEqual({ found: "damaged" });
});

test.each([
  ["DROP TABLE turn_values", { found: "part_missing", name: "turn_values" }],
  ["DROP TABLE bundle_words", { found: "part_missing", name: "bundle_words" }],
  ["DROP INDEX bundles_root", { found: "part_missing", name: "bundles_root" }],
  ["PRAGMA user_version = 99", { found: "newer_version" }],
  ["PRAGMA user_version = -7", { found: "older_version" }],
])("%s", async (sql, found) => {
  const { at, file } = copyOf(closed);
  const database = openSqlite(file);
  database.exec(sql);
  database.close();
  expect(await checkEvidenceFile(at)).toEqual(found);
});

test.each<[string, (bytes: Buffer) => void]>([
  ["another magic number", (bytes) => void bytes.writeUInt32BE(1, 0)],
  ["a salt that its checksum denies", (bytes) => void bytes.writeUInt32BE(1, 16)],
])("a log with %s", async (_what, change) => {
  const { at, file } = copyOf(open);
  changed(`${file}-wal`, change);
  expect(await checkEvidenceFile(at)).toEqual({ found: "log_unreadable" });
});

test("a log that is cut in its header, and one without its file", async () => {
  const { at, file } = copyOf(open);
  truncateSync(`${file}-wal`, 20);
  expect(await checkEvidenceFile(at)).toEqual({ found: "log_unreadable" });
  const alone = copyOf(open);
  rmSync(alone.file);
  expect(await checkEvidenceFile(alone.at)).toEqual({ found: "log_alone" });
});
