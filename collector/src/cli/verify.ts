/**
 * @module `turnproof verify`: checks signed statements and, with their events, judges again. Works
 * offline with the public keys in a file.
 */
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";

import type { Command } from "commander";
import type { JSONWebKeySet } from "jose";
import type { TurnEvent } from "@turnproof/evidence";

import { checkStatement, equivocations } from "../judge/statement-check.ts";
import type { StatementCheck } from "../judge/statement-check.ts";
import { createClient } from "./client.ts";
import { checkPack } from "./pack/pack-check.ts";
import { withClient } from "./command.ts";
import type { SharedFlags } from "./command.ts";
import { attempt } from "./failure.ts";
import { readEventFile } from "./event-file.ts";
import { exitCodes, fail, printJson, printTable, printable, write } from "./terminal.ts";

interface VerifyFlags extends SharedFlags {
  readonly events?: string;
  readonly keys?: string;
  readonly signatureOnly?: boolean;
}

/** Adds the command. */
export function addVerifyCommand(program: Command): void {
  withClient(program.command("verify"))
    .argument("<files...>", "statements (reconcile.jws), or the folder of an evidence pack")
    .description("check signed statements or an evidence pack, offline with the keys in a file")
    .option("--events <file>", "the judged events: a page, a list, or one per line")
    .option("--keys <file>", "public keys (jwks.json) instead of the collector's")
    .option("--signature-only", "check the signature only, not the verdict")
    .addHelpText(
      "after",
      `
With --events the verdict is judged again from them. Without them only the signature is checked,
which proves who wrote the verdict and not that it is right: the exit code is 6, or 0 with
--signature-only.

A pack is checked offline by the keys of --keys, else by its own ones, which shows only that it is
whole.

Exit codes: 0 all that was checked holds; 1 a signature, the events or the verdict does not hold, or
two statements over the same events and mark contradict each other; 2 wrong arguments; 5 the verdict
cannot be judged again, because other rules made it; 6 the signature holds and the verdict was not
judged again.`,
    )
    .action((files: readonly string[], flags: VerifyFlags) =>
      attempt(flags, () => verify(files, flags)),
    );
}

async function verify(files: readonly string[], flags: VerifyFlags): Promise<void> {
  const [folder = "", ...others] = files;
  if (others.length === 0 && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) {
    return verifyPack(folder, flags);
  }
  // Files are read first: with a mistyped file no collector is contacted.
  const statements = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const keys =
    flags.keys === undefined
      ? await createClient(flags).json<JSONWebKeySet>("/.well-known/jwks.json")
      : (JSON.parse(await readFile(flags.keys, "utf8")) as JSONWebKeySet);
  const events =
    flags.events === undefined
      ? undefined
      : ((await readEventFile(flags.events)).events as readonly TurnEvent[]);
  const checks = await Promise.all(statements.map((jws) => checkStatement(jws, keys, events)));
  const pairs = equivocations(checks.flatMap(({ statement }) => statement ?? []));
  if (flags.json === true) {
    printJson(checks.length === 1 ? checks[0] : { checks, equivocations: pairs });
  } else for (const check of checks) show(check);
  if (pairs.length > 0) {
    fail("Two statements over the same events and mark have different verdicts (equivocation).");
  }
  const codes = checks.map((check) => exitCodeOf(check, flags.signatureOnly === true));
  const code = codes.includes(exitCodes.failed) ? exitCodes.failed : Math.max(...codes);
  process.exitCode = pairs.length > 0 ? exitCodes.failed : code;
  if (code === exitCodes.notJudged) {
    process.stderr.write(
      "Only the signature was checked. Judge the verdict again with --events.\n",
    );
  }
}

async function verifyPack(folder: string, flags: VerifyFlags): Promise<void> {
  const keys =
    flags.keys === undefined
      ? undefined
      : (JSON.parse(await readFile(flags.keys, "utf8")) as JSONWebKeySet);
  const check = await checkPack(folder, keys);
  const holds = check.signature === "valid" && check.problems.length === 0;
  if (flags.json === true) printJson(check);
  else {
    printTable(
      ["ARTICLE", "STATE", "BECAUSE"],
      check.table.map(({ article, state, because }) => [
        article,
        state.replaceAll("_", " "),
        because,
      ]),
      "The signature over the list does not hold.",
    );
    for (const problem of check.problems) fail(`${printable(problem)}.`);
    if (holds && check.own_keys) write("Checked by the pack's own keys: compare them with --keys.");
  }
  process.exitCode = holds ? exitCodes.ok : exitCodes.failed;
}

function exitCodeOf(
  { signature, evidence, verdict }: StatementCheck,
  signatureOnly: boolean,
): number {
  const holds = signature === "valid" && evidence !== "differs" && verdict !== "not_supported";
  if (!holds) return exitCodes.failed;
  if (verdict === "not_checked" && !signatureOnly) return exitCodes.notJudged;
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
