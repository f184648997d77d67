/** Keys that a start refuses are named. */
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { openIdentityKey, openKeyring } from "../access/stable-secret.ts";
import { createStatementSigner } from "../judge/statement.ts";
import { keysCheck } from "./doctor-places.ts";

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
    const message = expect.stringContaining(`keys/${name}`);
    expect(keysCheck(dataDir)).toMatchObject([{ state: "fail", message }]);
    writeFileSync(file, whole);
  }
});
