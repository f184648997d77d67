/** Exit codes of `turnproof verify`, offline, from statements of the collector's own signer. */
import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { createStatementSigner } from "../../../collector/src/judge/statement.ts";
import type { Statement } from "../../../collector/src/judge/statement.ts";
import { events, honestStatement } from "./honest-statement.ts";

const launcher = join(import.meta.dirname, "../../../collector/bin/turnproof.js");
const signer = await createStatementSigner(undefined, undefined);
const dir = mkdtempSync(join(tmpdir(), "turnproof-verify-"));
const write = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};
const keys = write("jwks.json", JSON.stringify(signer.keys));
const judged = ["--events", write("events.json", JSON.stringify(events))];
const sign = async (name: string, change: Partial<Statement>): Promise<string> =>
  write(name, await signer.sign({ ...honestStatement, ...change }));
const files = {
  honest: await sign("honest.jws", {}),
  lying: await sign("lying.jws", { status: "failed" }),
  other: await sign("other.jws", { judge: { version: "9.0.0", rules: "0".repeat(64) } }),
};

function verify(args: readonly string[]): Promise<{ code: number; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [launcher, "verify", "--keys", keys, ...args], (error, _out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), err }),
    );
  });
}

test.each([
  ["0: the verdict holds", 0, [files.honest, ...judged]],
  ["0: who signed it was all that was asked", 0, [files.honest, "--signature-only"]],
  ["1: the verdict does not hold although it is signed", 1, [files.lying, ...judged]],
  ["1: one of several does not hold", 1, [files.other, files.lying, ...judged]],
  ["5: other rules gave it", 5, [files.other, ...judged]],
  ["5: one of several was given by other rules", 5, [files.honest, files.other, ...judged]],
  ["6: it was not judged again", 6, [files.honest]],
])("%s", async (_name, code, args) => {
  expect((await verify(args)).code).toBe(code);
});

test("1: two statements over one digest and mark say otherwise, even unjudged", async () => {
  const { code, err } = await verify([files.honest, files.lying, "--signature-only"]);
  expect([code, err]).toEqual([1, expect.stringContaining("equivocation")]);
});
