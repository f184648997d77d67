/** A key that was made once is never made anew because its file is gone, empty or cut. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { createStatementSigner } from "../judge/statement.ts";
import { createSigner } from "./audit/checkpoint.ts";
import { lostSecrets, openIdentityKey, openKeyring, readKeyring } from "./stable-secret.ts";

const openers: readonly (readonly [string, (dataDir: string) => unknown])[] = [
  ["session-secret", (dataDir) => openKeyring(undefined, dataDir)],
  ["identity-key", (dataDir) => openIdentityKey(undefined, dataDir)],
  ["audit-checkpoint.pem", (dataDir) => createSigner(dataDir, "test")],
  ["statement-signing.pem", (dataDir) => createStatementSigner(undefined, dataDir)],
];

test.each(openers)("%s: gone, empty and cut files are named and stay", async (name, open) => {
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-keys-"));
  const file = join(dataDir, "keys", name);
  await open(dataDir);
  const made = readFileSync(file, "utf8");
  await open(dataDir);
  expect(readFileSync(file, "utf8")).toBe(made);
  const field = `keys/${name}`;
  const refused = { code: "key_unusable", field };
  for (const text of ["", "\n", made.slice(0, 20)]) {
    writeFileSync(file, text);
    await expect(attempt(open, dataDir)).rejects.toMatchObject(refused);
    expect(readFileSync(file, "utf8")).toBe(text);
  }
  rmSync(file);
  await expect(attempt(open, dataDir)).rejects.toMatchObject(refused);
  mkdirSync(file);
  await expect(attempt(open, dataDir)).rejects.toMatchObject(refused);
  rmSync(join(dataDir, "keys"), { recursive: true });
  await expect(attempt(open, dataDir)).rejects.toMatchObject(refused);
  // As the advice states: without its line in keys-made a new one is made.
  rmSync(join(dataDir, "keys-made"));
  mkdirSync(join(dataDir, "keys-made"));
  const unlisted = { code: "file_unreadable", field: "keys-made" };
  await expect(attempt(open, dataDir)).rejects.toMatchObject(unlisted);
  rmdirSync(join(dataDir, "keys-made"));
  await open(dataDir);
  expect(readFileSync(file, "utf8")).not.toBe(made);
});

test("the key of an earlier version, made without a note of it, is kept from then on", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-keys-"));
  openKeyring(undefined, dataDir);
  rmSync(join(dataDir, "keys-made"));
  openKeyring(undefined, dataDir);
  rmSync(join(dataDir, "keys", "session-secret"));
  expect(() => openKeyring(undefined, dataDir)).toThrow(/keys\/session-secret/);
});

test.each([
  ["identity-key", "audit.jsonl"],
  ["audit-checkpoint.pem", "audit.jsonl"],
  ["statement-signing.pem", "evidence-account.jws"],
])("%s is not made anew beside %s without any key", async (name, left) => {
  const open = Object.fromEntries(openers)[name] as (dataDir: string) => unknown;
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-keys-"));
  writeFileSync(join(dataDir, left), "{}\n");
  const refused = { code: "key_unusable", field: `keys/${name}` };
  await expect(attempt(open, dataDir)).rejects.toMatchObject(refused);
  // A second start is refused as the first one.
  await expect(attempt(open, dataDir)).rejects.toMatchObject(refused);
  expect(existsSync(join(dataDir, "keys"))).toBe(false);
  expect(lostSecrets(dataDir)).toContain(name);
  // As the advice states: an empty keys-made permits new keys.
  writeFileSync(join(dataDir, "keys-made"), "");
  await open(dataDir);
  expect(lostSecrets(dataDir)).toEqual([]);
});

test("what a command only reads makes no key", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-keys-"));
  expect(() => readKeyring(undefined, dataDir)).toThrow(/keys\/session-secret/);
  expect(readdirSync(dataDir)).toEqual([]);
});

async function attempt(open: (dataDir: string) => unknown, dataDir: string): Promise<unknown> {
  return open(dataDir);
}
