/** Keys that a start refuses are named, and damage of a journal before a start sets it aside. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openJournal } from "@turnproof/journal";
import { afterAll, expect, test } from "vitest";

import { openIdentityKey, openKeyring } from "../access/stable-secret.ts";
import { createStatementSigner } from "../judge/statement.ts";
import { journalCheck, keysCheck } from "./doctor-places.ts";

const dataDir = mkdtempSync(join(tmpdir(), "turnproof-keys-"));
afterAll(() => rmSync(dataDir, { recursive: true }));

test("a key that is cut is named, and not only one that is gone", async () => {
  openKeyring(undefined, dataDir);
  openIdentityKey(undefined, dataDir);
  await createStatementSigner(undefined, dataDir);
  expect(keysCheck(dataDir)).toMatchObject([{ state: "ok" }]);
  for (const name of ["identity-key", "session-secret", "statement-signing.pem"]) {
    const file = join(dataDir, "keys", name);
    const whole = readFileSync(file);
    truncateSync(file, 20);
    const message = expect.stringMatching(
      new RegExp(`^key_unusable \\(keys/${name}\\): .* Restore the file .* keys-made`),
    );
    expect(keysCheck(dataDir)).toMatchObject([{ state: "fail", message }]);
    writeFileSync(file, whole);
  }
});

test("keys that other users can read or replace are named", () => {
  chmodSync(join(dataDir, "keys", "identity-key"), 0o644);
  chmodSync(join(dataDir, "keys"), 0o703);
  // No one else enters the data directory.
  chmodSync(dataDir, 0o700);
  expect(keysCheck(dataDir)).toMatchObject([{ state: "ok" }]);
  chmodSync(dataDir, 0o701);
  const message = expect.stringMatching(/\(keys, keys\/identity-key in the data directory\)/);
  expect(keysCheck(dataDir)).toMatchObject([{ state: "warn", message }]);
  chmodSync(join(dataDir, "keys", "identity-key"), 0o640);
  chmodSync(join(dataDir, "keys"), 0o700);
  chmodSync(dataDir, 0o700);
  expect(keysCheck(dataDir)).toMatchObject([{ state: "ok" }]);
});

test("a list of keys that cannot be read is named", () => {
  const folder = mkdtempSync(join(tmpdir(), "turnproof-keys-"));
  mkdirSync(join(folder, "keys-made"));
  const message = "file_unreadable: A file or folder cannot be read. (keys-made)";
  expect(keysCheck(folder)).toEqual([{ check: "keys", state: "fail", message }]);
  rmSync(folder, { recursive: true });
});

test("a segment that is cut is named before a start", async () => {
  const directory = join(dataDir, "journal");
  const journal = await openJournal({ directory });
  for (let at = 0; at < 3; at++) await journal.append({ payload: Buffer.alloc(200), spans: 1 });
  await journal.close();
  expect(await journalCheck(dataDir)).toMatchObject([{ state: "ok" }]);
  const name = readdirSync(directory).find((each) => each.endsWith(".segment")) ?? "";
  truncateSync(join(directory, name), readFileSync(join(directory, name)).byteLength - 250);
  const inSegment = `1 damaged range in segments (journal/${name}), with 2 lost frames`;
  const message = expect.stringContaining(inSegment);
  expect(await journalCheck(dataDir)).toMatchObject([{ state: "fail", message }]);
  // A start sets the range aside; the count is the same after it, and after the next one.
  for (let start = 0; start < 2; start += 1) {
    await (await openJournal({ directory })).close();
    const aside = readdirSync(directory).find((each) => each.endsWith(".corrupt"));
    const after = `1 damaged range set aside (journal/${aside}), with 2 lost frames;`;
    expect(await journalCheck(dataDir)).toMatchObject([
      { state: "warn", message: expect.stringContaining(after) },
    ]);
  }
});
