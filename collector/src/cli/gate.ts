/**
 * @module `turnproof gate`: whether a candidate is worse than a baseline, by contracts and
 * measures; the exit code is the outcome.
 */
import { writeFile } from "node:fs/promises";

import { CodedError } from "@turnproof/semconv";
import type { Command } from "commander";
import { gate, gateMarkdown, gateText, planTogether, withShared } from "@turnproof/contracts";
import type { GateOutcome, GatePlans, GateReport, GateSettings } from "@turnproof/contracts";

import { readClientConfig } from "../config/read-config.ts";
import { openPriceList } from "../cost/price-list.ts";
import { gateSides } from "../judge/gate-sides.ts";
import { measureTrials, notCompared, trialsOf } from "../judge/gate-turns.ts";
import { contractsOf } from "./check.ts";
import { createClient } from "./client.ts";
import { withClient } from "./command.ts";
import type { SharedFlags } from "./command.ts";
import { attempt } from "./failure.ts";
import { UnclearTerms, releasesBeside, readSide } from "./gate-side.ts";
import type { GateSide, SideOptions } from "./gate-side.ts";
import { formatOf, numberOf } from "./report-format.ts";
import { exitCodes, fail, printable, write } from "./terminal.ts";
import { failUnclear } from "./unclear-terms.ts";

interface GateFlags extends SharedFlags {
  readonly baseline: string;
  readonly candidate: string;
  readonly contract?: readonly string[];
  readonly whole?: boolean;
  readonly alpha: string;
  readonly allowedDrop: string;
  readonly allowedGrowth: string;
  readonly require?: readonly string[];
  readonly power: string;
  readonly k?: string;
  readonly limit: string;
  readonly format?: string;
  readonly out?: string;
}

const formats: { readonly [name: string]: (report: GateReport, plans: GatePlans) => string } = {
  text: (report, plans) => gateText(report, plans).split("\n").map(printable).join("\n"),
  json: (report, plans) => `${JSON.stringify({ plans, ...report }, null, 2)}\n`,
  markdown: gateMarkdown,
};

const outcomeCodes: { readonly [K in GateOutcome]: number } = {
  no_regression: exitCodes.ok,
  regressed: exitCodes.failed,
  not_enough_evidence: exitCodes.partial,
};

/** Adds the command. */
export function addGateCommand(program: Command): void {
  withClient(program.command("gate"))
    .description("compare the turns of two releases; the exit code is the outcome")
    .requiredOption("--baseline <terms>", "terms of the filter bar, or a file of events")
    .requiredOption("--candidate <terms>", "the same, for the candidate")
    .option("--contract <path...>", "contract files or folders: YAML, JSON or a module")
    .option("--whole", "treat the files as complete; missing events count as failures")
    .option("--alpha <p>", "chance of a false alarm over all tests together", "0.05")
    .option(
      "--allowed-drop <share>",
      "allowed drop of the share of turns that satisfy a contract",
      "0.05",
    )
    .option("--allowed-growth <share>", "growth of duration, tokens and cost allowed", "0.1")
    .option("--require <names...>", "contracts, duration, tokens or cost that must be decided")
    .option("--power <p>", "power that the smallest drop and growth are stated for", "0.8")
    .option("--k <n>", "k of pass^k (default: the fewest turns of a case, at most 10)")
    .option("--limit <n>", "the newest turns of each side, at most so many", "1000")
    .option("--format <format>", `${Object.keys(formats).join(", ")} (default text)`)
    .option("--out <file>", "write the report to a file, and the outcome to stderr")
    .addHelpText(
      "after",
      `
Exit codes: 0 no regression, 1 regressed, 3 not enough evidence, 4 no turn, no collector or a
failure, 2 wrong arguments or a wrong contract.

Turns with the same external id on their turn, or on their first intent, did the same task: they
are compared in pairs where at least half of each side has a partner; turns without one are left
out, and their number is printed. Turns that are on both sides are left out of the baseline, with a
warning; a baseline of which nothing is left counts as wrong arguments.

Every contract and every recorded measure must be decided, but for one: a cost that is open only
because tokens with their own price are not counted is printed with a warning and decides nothing.
A named contract that applied to no turn is printed with a warning. The outcome is 3 where no named
contract applied, and where one applied to the turns of one side only.
With --require cost or --require refund the outcome is 3 wherever the cost or the contract refund is
not decided, also where no turn has one.

  turnproof gate --baseline 'release:3.2' --candidate 'release:3.3' \\
    --contract contracts
  turnproof gate --baseline main.ndjson --candidate branch.ndjson \\
    --format markdown`,
    )
    .action((flags: GateFlags) =>
      attempt({ ...flags, refusedCode: exitCodes.unknown }, () => compare(flags)),
    );
}

async function compare(flags: GateFlags): Promise<void> {
  const format = formatOf(formats, flags);
  const turnsMax = numberOf("limit", flags.limit);
  const contracts = await contractsOf(flags.contract ?? []);
  if (contracts === undefined) return;
  const names = contracts.contracts.map(({ name }) => name);
  const settings = settingsOf(flags, names);
  const options = {
    client: () => createClient(flags),
    contracts,
    prices: await openPriceList(readClientConfig(flags).prices),
    turnsMax,
    whole: flags.whole === true,
  };
  const baseline = await sideOf("--baseline", flags.baseline, options);
  const candidate = await sideOf("--candidate", flags.candidate, options);
  if (baseline === undefined || candidate === undefined) return;
  const empty = [
    ...(baseline.turns.length === 0 ? [["--baseline", flags.baseline] as const] : []),
    ...(candidate.turns.length === 0 ? [["--candidate", flags.candidate] as const] : []),
  ];
  if (empty.length > 0) {
    for (const [, source] of empty) await hintAt(source, options);
    const sides = empty.map(([flag]) => flag).join(" and ");
    const verb = empty.length === 1 ? "has" : "have";
    fail(`${sides} ${verb} no turn to compare.`, exitCodes.unknown);
    return;
  }
  for (const { more } of [baseline, candidate]) {
    if (more) write(`More turns match; these are the newest ${turnsMax} of a side.`);
  }
  const { shared, ...sides } = gateSides(baseline.turns, candidate.turns);
  const trials = trialsOf(names, sides.baseline, sides.candidate);
  const measures = measureTrials(sides.baseline, sides.candidate);
  const plans = planTogether(trials, measures, settings);
  const report = withShared(gate(trials, measures, settings), shared);
  const text = format(report, plans);
  if (flags.out === undefined) process.stdout.write(text);
  else await writeFile(flags.out, text);
  if (flags.out !== undefined) write(`The outcome is ${report.outcome}.`);
  process.exitCode = outcomeCodes[report.outcome];
}

/** What there is instead, where no turn has the release of these terms. */
async function hintAt(source: string, options: SideOptions): Promise<void> {
  const found = await releasesBeside(source, options.client);
  if (found === undefined) return;
  const known =
    found.known.length === 0
      ? "no turn has a recorded release"
      : `releases with turns are ${found.known.join(", ")}`;
  write(
    printable(
      `No turn matches ${source}; ${known}. ` +
        "The release of a turn is the resource attribute service.version of its application.",
    ),
  );
}

/** The turns of a side; undefined, with an error printed, where its terms are not valid. */
async function sideOf(
  flag: string,
  source: string,
  options: SideOptions,
): Promise<GateSide | undefined> {
  try {
    return await readSide(source, options);
  } catch (error) {
    if (!(error instanceof UnclearTerms)) throw error;
    failUnclear(flag, error.words, "is neither a file nor terms of the filter bar.");
    return undefined;
  }
}

/** @param names of the contracts */
function settingsOf(flags: GateFlags, names: readonly string[]): GateSettings {
  return {
    alpha: numberOf("alpha", flags.alpha),
    allowedDrop: numberOf("allowed-drop", flags.allowedDrop),
    allowedGrowth: numberOf("allowed-growth", flags.allowedGrowth),
    power: numberOf("power", flags.power),
    ...(flags.require === undefined ? {} : { required: requiredOf(flags.require, names) }),
    ...(flags.k === undefined ? {} : { k: numberOf("k", flags.k) }),
  };
}

/** @throws CodedError `parameter_invalid` for what is neither a measure nor one of the contracts */
function requiredOf(wanted: readonly string[], names: readonly string[]): readonly string[] {
  if (notCompared(wanted, names).length > 0) {
    throw new CodedError("parameter_invalid", { field: "require" });
  }
  return wanted;
}
