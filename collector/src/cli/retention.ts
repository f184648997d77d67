/**
 * @module `turnproof retention`: what evidence is too old for its class, and, when told to, its
 * deletion. A dry run unless `--apply`; a run that was cut short goes on when it is run again.
 */
import type { Command } from "commander";
import { CodedError, limits } from "@turnproof/semconv";
import { clickhouseAdmin } from "@turnproof/store/admin";

import { connectionOf } from "../backend.ts";
import { readConfig } from "../config.ts";
import { withJson } from "./command.ts";
import { attempt } from "./failure.ts";
import { exitCodes, printJson, printTable, say } from "./terminal.ts";

interface RetentionFlags {
  readonly json?: boolean;
  readonly apply?: boolean;
  readonly dataDir?: string;
  readonly outcomeDays?: string;
  readonly metadataDays?: string;
  readonly structureDays?: string;
}

/** Adds the command. */
export function addRetentionCommand(program: Command): void {
  withJson(program.command("retention"))
    .description("show what evidence is too old for its class; --apply deletes it")
    .option("--apply", "delete; without it nothing is touched")
    .option("--outcome-days <days>", `verified outcomes (default ${limits.retentionOutcomeDays})`)
    .option("--metadata-days <days>", `other evidence (default ${limits.retentionMetadataDays})`)
    .option(
      "--structure-days <days>",
      `spans of roots without evidence (default ${limits.retentionStructureDays})`,
    )
    .option("--data-dir <dir>", "where the embedded store lies (default .turnproof)")
    .addHelpText(
      "after",
      `
Weeks older than every class go as whole parts, the rest row by row. For the ClickHouse backend;
the embedded one is used by one process at a time, so stop the collector first. Memory is not
evidence and is not touched: see \`turnproof delete-user\`.`,
    )
    .action((flags: RetentionFlags) => attempt(flags, () => retain(flags)));
}

async function retain(flags: RetentionFlags): Promise<void> {
  const config = readConfig(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir });
  if (config.backend !== "clickhouse") throw new CodedError("capability_missing");
  const days = {
    outcome: daysOf(flags.outcomeDays, limits.retentionOutcomeDays),
    metadata: daysOf(flags.metadataDays, limits.retentionMetadataDays),
    structure: daysOf(flags.structureDays, limits.retentionStructureDays),
  };
  await using admin = await clickhouseAdmin({ connection: connectionOf(config) });
  const now = new Date().toISOString();
  const steps = await admin.retentionPlan(days, now);
  if (flags.apply === true) {
    for (const [index, step] of steps.entries()) {
      if (process.stderr.isTTY) process.stderr.write(`\r${index + 1} of ${steps.length}`);
      await admin.applyRetention(step, days, now);
    }
    if (process.stderr.isTTY) process.stderr.write("\r");
  }
  const rows = steps.reduce((sum, step) => sum + step.rows, 0);
  if (flags.json === true) printJson({ applied: flags.apply === true, days, steps, rows });
  else {
    const lines = steps.map(({ step, subject, rows: held }) => [step, subject, String(held)]);
    printTable(["STEP", "SUBJECT", "ROWS"], lines, "Nothing is too old.");
    say(flags.apply === true ? `${rows} rows deleted.` : "A dry run: --apply deletes this.");
  }
  process.exitCode = exitCodes.ok;
}

function daysOf(value: string | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (!/^\d{1,5}$/.test(value)) throw new CodedError("parameter_invalid", { field: "days" });
  return Number(value);
}
