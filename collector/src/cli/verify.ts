/**
 * @module `turnproof verify`: checks a signed statement and, with its events, that they are the
 * judged ones. Works offline with the public keys in a file.
 */
import { readFile } from "node:fs/promises";

import type { Command } from "commander";
import type { JSONWebKeySet } from "jose";
import type { TurnEvent } from "@turnproof/evidence";

import { checkStatement } from "../statement.ts";
import { createClient } from "./client.ts";
import { withClient } from "./command.ts";
import type { SharedFlags } from "./command.ts";
import { attempt } from "./failure.ts";
import { readEvents } from "./reconcile.ts";
import { exitCodes, printJson, printTable } from "./terminal.ts";

interface VerifyFlags extends SharedFlags {
  readonly events?: string;
  readonly keys?: string;
}

/** Adds the command. */
export function addVerifyCommand(program: Command): void {
  withClient(program.command("verify"))
    .argument("<file>", "the statement (reconcile.jws)")
    .description("check a signed statement, offline when the keys are in a file")
    .option("--events <file>", "the judged events: a page, a list, or one per line")
    .option("--keys <file>", "public keys (jwks.json) instead of asking the collector")
    .addHelpText("after", "\nExit code 0 only when signature and, where given, events hold.")
    .action((file: string, flags: VerifyFlags) => attempt(flags, () => verify(file, flags)));
}

async function verify(file: string, flags: VerifyFlags): Promise<void> {
  // What was named comes first: whoever mistyped a file need not be asked for a collector.
  const jws = await readFile(file, "utf8");
  const keys =
    flags.keys === undefined
      ? await createClient(flags).json<JSONWebKeySet>("/.well-known/jwks.json")
      : (JSON.parse(await readFile(flags.keys, "utf8")) as JSONWebKeySet);
  const events =
    flags.events === undefined
      ? undefined
      : (readEvents(await readFile(flags.events, "utf8")).events as readonly TurnEvent[]);
  const check = await checkStatement(jws, keys, events);
  if (flags.json === true) printJson(check);
  else {
    const { statement } = check;
    printTable(
      ["CHECK", "RESULT"],
      [
        ["signature", check.signature],
        ["evidence", check.evidence],
        ["status", statement?.status ?? "?"],
        ["as of", statement?.as_of ?? "?"],
        ["events", String(statement?.event_count ?? "?")],
      ],
    );
  }
  const holds = check.signature === "valid" && check.evidence !== "differs";
  process.exitCode = holds ? exitCodes.ok : exitCodes.failed;
}
