/** Progress lines: the steps of a long command on stderr. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { progressLines } from "./terminal.ts";

const written: string[] = [];
beforeEach(() => {
  vi.useFakeTimers();
  written.length = 0;
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("the first step is said at once, then every ten seconds what is being done", () => {
  const lines = progressLines();
  lines.step("Copying state");
  expect(written).toEqual(["Copying state\n"]);
  vi.advanceTimersByTime(9_000);
  lines.step("Copying the store");
  lines.at("5 files, 1 MB");
  lines.at("9 files, 2 MB");
  expect(written).toHaveLength(1);
  vi.advanceTimersByTime(11_000);
  expect(written.slice(1)).toEqual([
    "Copying the store, 9 files, 2 MB, 10 s\n",
    "Copying the store, 9 files, 2 MB, 20 s\n",
  ]);
  lines.end();
  vi.advanceTimersByTime(60_000);
  expect(written).toHaveLength(3);
});
