/** A damaged account of forwarded spans is named before a start sets it aside, and after it. */
import { mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { ForwardAccount } from "../receive/forward/forward-account.ts";
import { forwardFolder } from "../receive/forward/forward-queue.ts";
import { forwardChecks } from "./doctor-forward.ts";

const dataDir = mkdtempSync(join(tmpdir(), "turnproof-forward-"));
afterAll(() => rmSync(dataDir, { recursive: true }));

test("a damaged account of forwarded spans has its path and what helps", async () => {
  expect(forwardChecks(dataDir)).toEqual([]);
  const folder = forwardFolder(dataDir);
  const file = join(folder, "account.json");
  await new ForwardAccount(folder).lose("refused", 3);
  expect(forwardChecks(dataDir)).toMatchObject([{ check: "forward account", state: "ok" }]);

  truncateSync(file, 20);
  const torn = readFileSync(file, "utf8");
  const [found] = forwardChecks(dataDir);
  expect([found?.state, found?.message]).toEqual([
    "fail",
    expect.stringMatching(/^forward\/account\.json is damaged.*turnproof restore/),
  ]);
  expect(readFileSync(file, "utf8")).toBe(torn);

  await new ForwardAccount(folder).close();
  expect(forwardChecks(dataDir)).toMatchObject([
    { state: "warn", message: expect.stringContaining("Move forward/account.json.corrupt away") },
  ]);
});
