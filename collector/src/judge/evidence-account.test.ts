/** The account of a data directory is that of one store on one server. */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { openAccount, readAccount } from "./evidence-account.ts";
import { createStatementSigner } from "./statement.ts";

const dataDir = mkdtempSync(join(tmpdir(), "turnproof-account-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test("the account of another server, or of the store beside it, is none", async () => {
  const signer = await createStatementSigner(undefined, dataDir);
  const held = async (): Promise<{ events: number; deletions: number }> => {
    return { events: 7, deletions: 0 };
  };
  const one = "postgres one:5432 evidence";
  expect(await readAccount(dataDir, signer, one)).toBe("none");
  const keeper = await openAccount({ dataDir, signer, keeps: true, server: one }, { held });
  await keeper.count();
  expect(await readAccount(dataDir, signer, one)).toMatchObject({ events: 7, server: one });
  for (const other of ["postgres two:5432 evidence", "postgres one:5432 other", undefined]) {
    expect(await readAccount(dataDir, signer, other)).toBe("none");
  }
  // A collector that was moved to another server misses nothing there.
  const none = async (): Promise<{ events: number; deletions: number }> => {
    return { events: 0, deletions: 0 };
  };
  const moved = { dataDir, signer, keeps: true, server: "postgres two:5432 evidence" };
  expect(await (await openAccount(moved, { held: none })).count()).toBe(0);
  // The account is now that of the other server.
  expect(await readAccount(dataDir, signer, one)).toBe("none");
});

test("an account that cannot be read is unusable, and is no missing one", async () => {
  const unread = mkdtempSync(join(tmpdir(), "turnproof-account-"));
  const signer = await createStatementSigner(undefined, unread);
  // Read by root too, a link to itself fails.
  symlinkSync("evidence-account.jws", join(unread, "evidence-account.jws"));
  expect(await readAccount(unread, signer, undefined)).toBe("unusable");
});
