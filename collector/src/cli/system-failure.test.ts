/** A refused system call is reported as a read or as a write, whichever failed, with its reason. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { reasonAdvice, refusedCall } from "./system-failure.ts";

const folder = mkdtempSync(join(tmpdir(), "turnproof-refused-"));
afterAll(() => rmSync(folder, { recursive: true }));

function errorOf(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

test("a read that fails is a read", () => {
  const gone = join(folder, "gone");
  expect(refusedCall(errorOf(() => readFileSync(gone)))).toMatchObject({
    code: "file_unreadable",
    field: `${gone}: ENOENT`,
  });
  expect(refusedCall(errorOf(() => readFileSync(folder)))?.code).toBe("file_unreadable");
});

test("what cannot be made, changed or removed cannot be written", () => {
  const file = join(folder, "there");
  writeFileSync(file, "");
  const calls = [
    // Opened for writing: it can be read, or is not there.
    { code: "EACCES", syscall: "open", path: file },
    { code: "EACCES", syscall: "open", path: join(folder, "alerts.json.new") },
    { code: "EACCES", syscall: "mkdir", path: join(folder, "journal") },
    { code: "EPERM", syscall: "unlink", path: file },
    { code: "EROFS", syscall: "open", path: file },
  ];
  for (const call of calls) {
    expect(refusedCall(Object.assign(new Error("refused"), call))).toMatchObject({
      code: "file_unwritable",
      field: `${call.path}: ${call.code}`,
    });
  }
});

test("another error is no refused call, and a reason has its advice", () => {
  expect(refusedCall(new RangeError("other"))).toBeUndefined();
  expect(reasonAdvice("/data/journal: EROFS")).toBe("Its file system is mounted read-only.");
  expect([reasonAdvice("audit.jsonl"), reasonAdvice("/data: EXDEV")]).toEqual([
    undefined,
    undefined,
  ]);
});
