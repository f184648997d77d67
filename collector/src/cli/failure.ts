/**
 * @module Failure: what a command says when it cannot go on. Configuration problems come as a
 * table, codes as their sentence, anything else as its name.
 */
import { CodedError, codes } from "@turnproof/semconv";
import type { CodeRow } from "@turnproof/semconv";

import { ConfigError } from "../config.ts";
import { Refusal } from "./client.ts";
import { exitCodes, fail, printJson, printTable } from "./terminal.ts";

/** Runs a command; what it throws becomes a sentence and an exit code. */
export async function attempt(
  flags: { readonly json?: boolean },
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    reportFailure(error, flags);
  }
}

/** Ends the command with what went wrong; never a value, never a stack. */
export function reportFailure(error: unknown, options: { readonly json?: boolean } = {}): void {
  if (error instanceof ConfigError) {
    if (options.json === true) printJson({ code: error.code, problems: error.problems });
    else {
      const rows = error.problems.map(({ variable, problem }) => [variable, problem]);
      printTable(["VARIABLE", "PROBLEM"], rows);
    }
    fail(`The configuration has ${error.problems.length} problem(s).`, exitCodes.usage);
    return;
  }
  if (CodedError.is(error)) {
    const row: CodeRow = codes[error.code];
    const held = error.code === "journal_locked" || error.code === "store_locked";
    const advice = held ? " Stop the other collector, or choose another --data-dir." : "";
    const field = error.field === undefined ? "" : `, ${error.field}`;
    fail(`${row.sentence}${advice} (${error.code}${field})`);
    return;
  }
  if (error instanceof Refusal) {
    fail(`${error.message} (${error.code})`);
    return;
  }
  const file = (error as NodeJS.ErrnoException | undefined)?.code;
  if (file === "ENOENT" || file === "EISDIR") {
    fail("A file that was named cannot be read.", exitCodes.usage);
    return;
  }
  if (error instanceof SyntaxError) {
    fail("A file that was named is not JSON.", exitCodes.usage);
    return;
  }
  fail(`Something failed: ${error instanceof Error ? error.name : "unknown"}.`);
}
