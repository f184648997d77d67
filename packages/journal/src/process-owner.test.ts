/** @module The text of an owner names it, and no other text names one. */
import { expect, test } from "vitest";

import { ownerText, parseOwner, systemProcesses } from "./process-owner.ts";

test("an owner is its text", () => {
  const owner = systemProcesses.self();
  expect(parseOwner(ownerText(owner))).toEqual(owner);
  for (const text of ["", "owner", "x-1-1-1-x", `${ownerText(owner)}.lock`, "a/b-1-1-1"]) {
    expect(parseOwner(text)).toBeUndefined();
  }
});

test("this process is alive, one of another start is dead, one of another boot is unknown", () => {
  const owner = systemProcesses.self();
  expect(systemProcesses.liveness(owner)).toBe("alive");
  expect(systemProcesses.liveness({ ...owner, started: "1" })).toBe("dead");
  expect(systemProcesses.liveness({ ...owner, boot: "000000000000" })).toBe("unknown");
});
