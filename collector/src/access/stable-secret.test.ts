/** A key that was made once is never made anew because its file is gone, empty or cut. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { createStatementSigner } from "../judge/statement.ts";
import { createSigner } from "./audit/checkpoint.ts";
import { openIdentityKey, openKeyring } from "./stable-secret.ts";

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
  rmSync(join(dataDir, "keys"), { recursive: true });
  await expect(attempt(open, dataDir)).rejects.toMatchObject(refused);
  // As the advice states: without its line in keys-made a new one is made.
  rmSync(join(dataDir, "keys-made"));
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

async function attempt(open: (dataDir: string) => unknown, dataDir: string): Promise<unknown> {
  return open(dataDir);
}
