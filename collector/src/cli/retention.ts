/**
 * @module `turnproof retention`: counts and, with `--apply`, deletes what is past the age of its
 * class, in the evidence store and in memory. A dry run without `--apply`; a run that ended early
 * continues when it is run again.
 */
import { existsSync, readFileSync } from "node:fs";

import type { Command } from "commander";
import { CodedError, isoNow, limits } from "@turnproof/semconv";
import { clickhouseAdmin, defaultRetention } from "@turnproof/store/admin";
import type { RetentionOptions, RetentionPolicy, RetentionReport } from "@turnproof/store/admin";
import { z } from "zod";
import { providersWith } from "@turnproof/store";

import type { StoreKind } from "../backend/backend.ts";
import { connectionOf } from "../backend/store-places.ts";
import { readConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import { anyOf } from "../config/config-variables.ts";
import { backendOf, openArchive } from "./archive.ts";
import { withJson } from "./command.ts";
import { attempt } from "./failure.ts";
import { auditRetention } from "./retention-audit.ts";
import { exitCodes, interruption, printJson, printTable, progressBar, write } from "./terminal.ts";

interface RetentionFlags {
  readonly json?: boolean;
  readonly apply?: boolean;
  readonly dataDir?: string;
  readonly backend?: string;
  readonly only?: string;
  readonly outcomeDays?: string;
  readonly metadataDays?: string;
  readonly structureDays?: string;
  readonly previewDays?: string;
  readonly conversations?: boolean;
  readonly tenants?: string;
}

/** Result for one store. */
interface StoreReport extends RetentionReport {
  readonly store: StoreKind;
  readonly backend: string;
}

/** Input of a run, and its results. */
interface Run {
  readonly config: Config;
  readonly policy: RetentionPolicy;
  readonly only: string | undefined;
  readonly stores: StoreReport[];
}

/** Adds the command. */
export function addRetentionCommand(program: Command): void {
  withJson(program.command("retention"))
    .description("show evidence and memory past their retention; --apply removes them")
    .option("--apply", "remove; without it nothing is removed")
    .option("--only <store>", "evidence or memory (default both)")
    .option("--outcome-days <days>", `verified outcomes (default ${limits.retentionOutcomeDays})`)
    .option("--metadata-days <days>", `other evidence (default ${limits.retentionMetadataDays})`)
    .option(
      "--structure-days <days>",
      `spans of roots without evidence (default ${limits.retentionStructureDays})`,
    )
    .option(
      "--preview-days <days>",
      `text of tool calls and comments in memory (default ${limits.retentionPreviewDays})`,
    )
    .option("--conversations", "apply the age of previews to conversations as well")
    .option("--tenants <file>", "JSON list of tenants with days of their own")
    .option("--backend <kind>", anyOf(providersWith("evidence", "durable")))
    .option("--data-dir <dir>", "directory of embedded stores (default .turnproof)")
    .addHelpText(
      "after",
      `
A tenant of the file is { "user_id": string or null, "outcome"?, "metadata"?, "preview"? }, in days.
TURNPROOF_RETENTION_FLOOR_DAYS raises every age of evidence; with TURNPROOF_LEGAL_HOLD nothing is
removed. Notes of operators go with their turns. A run with --apply is recorded in retention.jsonl
of the data directory, with its ages and counts and without ids. Rows that newer evidence depends on
are kept until it is removed. Exit code 3 when it was interrupted: run it again. Stop a collector
that uses an embedded ClickHouse first.`,
    )
    .action((flags: RetentionFlags) => attempt(flags, () => retain(flags)));
}

async function retain(flags: RetentionFlags): Promise<void> {
  const config = readConfig(flags);
  if (flags.only !== undefined && flags.only !== "evidence" && flags.only !== "memory") {
    throw new CodedError("parameter_invalid", { field: "only" });
  }
  const applied = flags.apply === true;
  if (applied && config.legalHold) throw new CodedError("legal_hold");
  const policy = floored(policyOf(flags), config.retentionFloorDays ?? 0);
  const stores: StoreReport[] = [];
  const run: Run = { config, policy, only: flags.only, stores };
  await (applied ? recorded(run) : retainRooms(run, { now: isoNow(), dryRun: true }));
  const complete = stores.every((report) => report.complete);
  if (flags.json === true) {
    const { tenants, ...days } = policy;
    printJson({ applied, days, tenants: tenants?.size ?? 0, complete, stores });
  } else printReports(stores, applied, complete);
  process.exitCode = complete ? exitCodes.ok : exitCodes.partial;
}

/** Runs with its start and its end in the log of retention. */
async function recorded(run: Run): Promise<void> {
  const now = isoNow();
  await using audit = await auditRetention(run.config, run.policy, now);
  const removed = () =>
    run.stores.flatMap(({ store, classes }) =>
      classes.map((one) => ({ store, class: one.class, rows: one.removed })),
    );
  try {
    await retainRooms(run, { now, dryRun: false });
  } catch (error) {
    // The rows of a store that failed are not counted; the first error is thrown.
    await audit.record("failed", removed()).catch(() => {});
    throw error;
  }
  const complete = run.stores.every((report) => report.complete);
  await audit.record(complete ? "ok" : "partial", removed());
}

async function retainRooms(
  { config, policy, only, stores }: Run,
  { now, dryRun }: { readonly now: string; readonly dryRun: boolean },
): Promise<void> {
  const signal = interruption();
  for (const kind of ["evidence", "memory"] as const) {
    if (only !== undefined && only !== kind) continue;
    const bar = progressBar(kind);
    const report = await retainStore(config, kind, {
      policy,
      now,
      dryRun,
      signal,
      onProgress: bar,
    });
    bar.end();
    if (report !== undefined)
      stores.push({ store: kind, backend: backendOf(config, kind), ...report });
  }
}

function printReports(stores: readonly StoreReport[], applied: boolean, complete: boolean): void {
  const rows = stores.flatMap(({ store, backend, classes }) =>
    classes.map((one) => [store, backend, one.class, String(one.expired), String(one.removed)]),
  );
  printTable(["STORE", "BACKEND", "CLASS", "TOO OLD", "REMOVED"], rows, "Nothing is kept here.");
  const held = stores.reduce((sum, report) => sum + (report.held ?? 0), 0);
  if (held > 0) write(`${held} rows are too old and stay: something younger rests on them.`);
  if (!complete) write("Ended early: run it again and it goes on.");
  else if (!applied) write("A dry run: --apply removes this.");
}

/** One store; undefined for a store in memory. */
async function retainStore(
  config: Config,
  kind: StoreKind,
  options: RetentionOptions,
): Promise<RetentionReport | undefined> {
  if (kind === "evidence" && config.backend === "clickhouse") {
    const connection = connectionOf(config);
    // A dry run makes no embedded store.
    const isThere = !("dataDir" in connection) || existsSync(connection.dataDir);
    if (options.dryRun !== false && !isThere) return undefined;
    await using admin = await clickhouseAdmin({ connection });
    // Awaited here: the engine closes when this function ends.
    return await admin.evidence(options);
  }
  const archive = await openArchive(config, kind, { mayChange: options.dryRun === false }).catch(
    (error: unknown) => {
      // A dry run creates nothing, so without a store there is nothing to count.
      if (CodedError.is(error) && error.field === kind) return undefined;
      throw error;
    },
  );
  if (archive === undefined) return undefined;
  await using opened = archive;
  const { retention } = opened;
  // Awaited here: the provider closes when this function ends.
  return await (kind === "evidence" ? retention.evidence(options) : retention.memory(options));
}

function policyOf(flags: RetentionFlags): RetentionPolicy {
  const tenants = flags.tenants === undefined ? undefined : tenantsOf(flags.tenants);
  return {
    outcome: daysOf(flags.outcomeDays, defaultRetention.outcome),
    metadata: daysOf(flags.metadataDays, defaultRetention.metadata),
    structure: daysOf(flags.structureDays, defaultRetention.structure),
    preview: daysOf(flags.previewDays, defaultRetention.preview),
    ...(flags.conversations === true ? { conversations: true } : {}),
    ...(tenants === undefined ? {} : { tenants }),
  };
}

/** No age of evidence is below the floor, nor that of any tenant. */
function floored(policy: RetentionPolicy, floor: number): RetentionPolicy {
  const { outcome, metadata, structure, tenants } = policy;
  const raised = {
    ...policy,
    outcome: Math.max(outcome, floor),
    metadata: Math.max(metadata, floor),
    structure: Math.max(structure, floor),
  };
  if (tenants === undefined) return raised;
  const all = [...tenants].map(([tenant, days]) => {
    const own = Object.entries(days).map(([name, age]) => [
      name,
      name === "preview" || age === undefined ? age : Math.max(age, floor),
    ]);
    return [tenant, Object.fromEntries(own) as typeof days] as const;
  });
  return { ...raised, tenants: new Map(all) };
}

function daysOf(value: string | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (!/^\d{1,5}$/.test(value)) throw new CodedError("parameter_invalid", { field: "days" });
  return Number(value);
}

const days = z.number().int().min(0).max(99_999).optional();
const tenantList = z.array(
  z.strictObject({
    user_id: z.string().min(1).nullable(),
    outcome: days,
    metadata: days,
    preview: days,
  }),
);

/** The tenants in a file. @throws CodedError parameter_invalid, never with a value of it */
function tenantsOf(file: string): NonNullable<RetentionPolicy["tenants"]> {
  const parsed = tenantList.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (!parsed.success) throw new CodedError("parameter_invalid", { field: "tenants" });
  return new Map(
    parsed.data.map(({ user_id, outcome, metadata, preview }) => [
      user_id,
      {
        ...(outcome === undefined ? {} : { outcome }),
        ...(metadata === undefined ? {} : { metadata }),
        ...(preview === undefined ? {} : { preview }),
      },
    ]),
  );
}
