/**
 * @module `turnproof check`: contracts over turns, offline from a file or from a running collector;
 * the exit code is the result.
 */
import { writeFile } from "node:fs/promises";

import type { Command } from "commander";
import {
  ContractError,
  evaluateTurns,
  githubReport,
  junitReport,
  markdownReport,
  notAppliedOf,
  sarifReport,
  tallyOf,
  tallyTexts,
  textReport,
} from "@turnproof/contracts";
import type { TurnResult } from "@turnproof/contracts";
import { CodedError } from "@turnproof/semconv";

import { readClientConfig } from "../config/read-config.ts";
import { pricingOf } from "../cost/call-price.ts";
import { openPriceList } from "../cost/price-list.ts";
import { version } from "../version.ts";
import { collectorWindows, fileWindow } from "./check-windows.ts";
import type { CheckFilters } from "./check-windows.ts";
import { createClient } from "./client.ts";
import { withClient } from "./command.ts";
import type { SharedFlags } from "./command.ts";
import { readContractSources } from "./contract-sources.ts";
import type { NamedContracts } from "../config/contract-files.ts";
import { attempt } from "./failure.ts";
import { formatOf, numberOf } from "./report-format.ts";
import { exitCodes, fail, printable, write } from "./terminal.ts";
import { termsOfOption } from "./unclear-terms.ts";

interface CheckFlags extends SharedFlags, CheckFilters {
  readonly contract?: readonly string[];
  readonly events?: string;
  readonly statement?: string;
  readonly whole?: boolean;
  readonly filter?: string;
  readonly limit?: string;
  readonly format?: string;
  readonly out?: string;
  readonly allowUnestablished?: boolean;
}

const formats: {
  readonly [name: string]: (
    results: readonly TurnResult[],
    read: NamedContracts,
    notApplied: readonly string[],
  ) => string;
} = {
  text: (results, _, notApplied) => printableLines(textReport(results, { notApplied })),
  json: (results, _, notApplied) =>
    json({ tally: tallyOf(results), not_applied: notApplied, turns: results }),
  junit: (results, _, notApplied) => junitReport(results, { notApplied }),
  sarif: (results, { places }, notApplied) =>
    json(sarifReport(results, { version, places, notApplied })),
  markdown: (results, _, notApplied) => markdownReport(results, { notApplied }),
  github: (results, { places }, notApplied) => githubReport(results, { places, notApplied }),
};

/** Adds the command. */
export function addCheckCommand(program: Command): void {
  withClient(program.command("check"))
    .description("judge turns by contracts; the exit code is the result")
    .option("--contract <path...>", "contract files or folders: YAML, JSON or a module")
    .option("--events <file>", "judge these events: pages, a list, bundles, or one per line")
    .option("--statement <file>", "events must have the count and digest of this statement")
    .option("--whole", "treat the file as complete; missing events count as failures")
    .option("--filter <terms>", "turns of a collector under these terms of the filter bar")
    .option("--agent <id>", "turns of this agent")
    .option("--thread <id>", "turns of this thread")
    .option("--user <id>", "turns of this tenant")
    .option("--root <id>", "turns of this root trace")
    .option("--turn <id>", "this turn")
    .option("--since <time>", "turns since this time (ISO 8601)")
    .option("--until <time>", "turns before this time (ISO 8601)")
    .option("--limit <n>", "the newest turns, at most so many (default 1000)")
    .option("--format <format>", `${Object.keys(formats).join(", ")} (default text)`)
    .option("--out <file>", "write the report to a file, and a summary to stderr")
    .option("--allow-unestablished", "exit with 0 also where something is not established")
    .addHelpText(
      "after",
      `
Exit codes: 0 every contract holds, 1 one is violated, 3 none is violated and one is not
established, or no contract of --contract applied to a turn, 4 no turn to judge, no collector or a
failure, 2 wrong arguments or a wrong contract.

Without --contract, or where none applies to a turn, the default contract is judged: the turn
ended, nothing failed, its tools succeeded.

A contract that applied to no turn is named with a warning, in every format. Beside contracts that
applied it does not change the exit code.

--filter takes the terms of the list of turns: release:, env:, agent:, verdict:, tool: and all
others, a minus before one excludes. It combines with the other filters.

  turnproof check --contract contracts --agent support --since 2026-11-25
  turnproof check --contract contracts --filter 'release:3.3 env:staging'
  turnproof export --root "$TRACE_ID" --pages > window.ndjson
  turnproof check --contract refund.yaml --events window.ndjson \\
    --format junit --out check.xml`,
    )
    .action((flags: CheckFlags) =>
      attempt({ ...flags, refusedCode: exitCodes.unknown }, () => check(flags)),
    );
}

async function check(flags: CheckFlags): Promise<void> {
  const format = formatOf(formats, flags);
  const limit = numberOf("limit", flags.limit ?? "1000");
  const terms = filterOf(flags);
  if (terms === undefined) return;
  const read = await contractsOf(flags.contract ?? []);
  if (read === undefined) return;
  const results = await judge({ ...flags, terms }, read, limit);
  const notApplied = notAppliedOf(read.contracts, results);
  const text = format(results, read, notApplied);
  if (flags.out === undefined) process.stdout.write(text);
  else await writeFile(flags.out, text);
  const tally = tallyOf(results);
  if (flags.out !== undefined) {
    write(tallyTexts(tally));
  }
  for (const name of notApplied) write(printable(`Warning: contract ${name} applied to 0 turns.`));
  const noneApplied = notApplied.length > 0 && notApplied.length === read.contracts.length;
  const isOpen = tally.not_established > 0 || noneApplied;
  if (tally.turns === 0) {
    if (flags.out === undefined) write("There is no turn to judge.");
    process.exitCode = exitCodes.unknown;
  } else if (tally.violated > 0) process.exitCode = exitCodes.failed;
  else if (isOpen && flags.allowUnestablished !== true) {
    process.exitCode = exitCodes.partial;
  }
}

/**
 * Parameters of `--filter`; undefined, with an error printed, where a term is not valid.
 *
 * @throws CodedError `parameter_invalid` beside a file, whose turns have no list
 */
function filterOf({ filter, events }: CheckFlags): CheckFilters["terms"] {
  if (filter === undefined) return {};
  if (events !== undefined) throw new CodedError("parameter_invalid", { field: "filter" });
  const q = termsOfOption("--filter", filter);
  return q === undefined ? undefined : { q };
}

/** Contracts of files; a wrong one is reported with file, path and rule. */
export async function contractsOf(paths: readonly string[]): Promise<NamedContracts | undefined> {
  try {
    return await readContractSources(paths);
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    for (const { path, rule } of error.problems) write(printable(`${path}: ${rule}`));
    const { length } = error.problems;
    const count = length === 1 ? "1 problem" : `${length} problems`;
    fail(`contract_invalid: the contracts have ${count}.`, exitCodes.usage);
    return undefined;
  }
}

async function judge(
  flags: CheckFlags,
  { contracts, goldens }: NamedContracts,
  limit: number,
): Promise<TurnResult[]> {
  const pricing = pricingOf(await openPriceList(readClientConfig(flags).prices));
  if (flags.events !== undefined) {
    const { statement, whole = false } = flags;
    const { events, ...window } = await fileWindow(flags.events, { whole, statement });
    const found = evaluateTurns(events, contracts, { goldens, ...pricing, ...window });
    const { agent, thread, user, root, turn } = flags;
    return found.filter(
      ({ turn: of }) =>
        (agent === undefined || of.agent_id === agent) &&
        (thread === undefined || of.thread_id === thread) &&
        (user === undefined || of.user_id === user) &&
        (root === undefined || of.root_trace_id === root) &&
        (turn === undefined || of.turn_id === turn),
    );
  }
  const results: TurnResult[] = [];
  let left = false;
  for await (const { window, more } of collectorWindows(createClient(flags), flags, limit)) {
    const { events, ...how } = window;
    results.push(...evaluateTurns(events, contracts, { goldens, ...pricing, ...how }));
    left = more;
  }
  if (left) write(`More turns match; these are the newest ${limit}.`);
  return results;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Stored text never reaches the terminal with control characters. */
function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
