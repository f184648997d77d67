/** A file of sign-outs that cannot be used is kept, and is not taken for none. */
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test, vi } from "vitest";

import { asideSuffix, openEndedSessions } from "./ended-sessions.ts";

const pathOf = (): string =>
  join(mkdtempSync(join(tmpdir(), "turnproof-ended-")), "ended-sessions.json");

test("a damaged file is kept aside and reported; a missing one is not", async () => {
  const [path, onDamaged] = [pathOf(), vi.fn()];
  openEndedSessions(path, onDamaged);
  expect(onDamaged).not.toHaveBeenCalled();
  writeFileSync(path, '[["one",');
  const ended = openEndedSessions(path, onDamaged);
  expect([ended.left.size, onDamaged.mock.calls.length]).toEqual([0, 1]);
  await ended.keep([{ name: "two", keepUntilMs: Date.now() + 60_000 }]);
  expect(readFileSync(`${path}${asideSuffix}`, "utf8")).toBe('[["one",');
  expect([...openEndedSessions(path, onDamaged).left.keys()]).toEqual(["two"]);
  expect(onDamaged).toHaveBeenCalledTimes(1);
});

test("one that cannot be read is reported", () => {
  const [path, onDamaged] = [pathOf(), vi.fn()];
  symlinkSync("ended-sessions.json", path);
  openEndedSessions(path, onDamaged);
  expect(onDamaged).toHaveBeenCalledTimes(1);
});
