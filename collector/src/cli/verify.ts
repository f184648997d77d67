/**
 * @module `turnproof verify`: checks signed statements and, with their events, judges again. Works
 * offline with the public keys in a file.
 */
import { readFile } from "node:fs/promises";

import type { Command } from "commander";
import type { JSONWebKeySet } from "jose";
import type { TurnEvent } from "@turnproof/evidence";

import { checkStatement, equivocations } from "../statement-check.ts";
import type { StatementCheck } from "../statement-check.ts";
import { createClient } from "./client.ts";
import { withClient } from "./command.ts";
import type { SharedFlags } from "./command.ts";
import { attempt } from "./failure.ts";
import { readEvents } from "./reconcile.ts";
import { exitCodes, fail, printJson, printTable } from "./terminal.ts";

interface VerifyFlags extends SharedFlags {
  readonly events?: string;
  readonly keys?: string;
}

/** Adds the command. */
export function addVerifyCommand(program: Command): void {
  withClient(program.command("verify"))
    .argument("<files...>", "statements (reconcile.jws)")
    .description("check signed statements, offline when the keys are in a file")
    .option("--events <file>", "the judged events: a page, a list, or one per line")
    .option("--keys <file>", "public keys (jwks.json) instead of asking the collector")
    .addHelpText(
      "after",
      `
With --events the verdict is judged again from them.

Exit codes: 0 all that was checked holds; 1 a signature, the events or the verdict does not hold, or
two statements over the same events and mark say otherwise; 5 the verdict cannot be judged again,
because other rules gave it; 2 a wrong call.`,
    )
    .action((files: readonly string[], flags: VerifyFlags) =>
      attempt(flags, () => verify(files, flags)),
    );
}

async function verify(files: readonly string[], flags: VerifyFlags): Promise<void> {
  // What was named comes first: whoever mistyped a file need not be asked for a collector.
  const statements = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const keys =
    flags.keys === undefined
      ? await createClient(flags).json<JSONWebKeySet>("/.well-known/jwks.json")
      : (JSON.parse(await readFile(flags.keys, "utf8")) as JSONWebKeySet);
  const events =
    flags.events === undefined
      ? undefined
      : (readEvents(await readFile(flags.events, "utf8")).events as readonly TurnEvent[]);
  const checks = await Promise.all(statements.map((jws) => checkStatement(jws, keys, events)));
  const pairs = equivocations(checks.flatMap(({ statement }) => statement ?? []));
  if (flags.json === true) {
    printJson(checks.length === 1 ? checks[0] : { checks, equivocations: pairs });
  } else for (const check of checks) show(check);
  if (pairs.length > 0) {
    fail("Two statements over the same events and mark have different verdicts (equivocation).");
  }
  process.exitCode = pairs.length > 0 ? exitCodes.failed : Math.max(...checks.map(exitCodeOf));
}

function exitCodeOf({ signature, evidence, verdict }: StatementCheck): number {
  const holds = signature === "valid" && evidence !== "differs" && verdict !== "not_supported";
  if (!holds) return exitCodes.failed;
  return verdict === "not_rejudgeable" ? exitCodes.otherRules : exitCodes.ok;
}

function show({ signature, evidence, verdict, statement }: StatementCheck): void {
  printTable(
    ["CHECK", "RESULT"],
    [
      ["signature", signature],
      ["evidence", evidence],
      ["verdict", verdict.replaceAll("_", " ")],
      ["status", statement?.status ?? "?"],
      ["as of", statement?.as_of ?? "?"],
      ["events", String(statement?.event_count ?? "?")],
    ],
  );
}
