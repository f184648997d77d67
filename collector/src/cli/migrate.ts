/**
 * @module `turnproof migrate`: reports whether the tables of the configured stores are of this
 * version, whether evidence of an earlier version is copied, and the search indexes over memory;
 * `--apply` migrates them.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";

import type { Command } from "commander";
import { CodedError } from "@turnproof/semconv";
import { providersWith } from "@turnproof/store";
import type { SearchMigrationRow } from "@turnproof/store";
import { clickhouseAdmin } from "@turnproof/store/admin";
import type { CopyReport, ParityReport } from "@turnproof/store/admin";

import { openStore } from "../backend/backend.ts";
import type { Archive, StoreKind } from "../backend/backend.ts";
import { connectionOf } from "../backend/store-places.ts";
import { readConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import { anyOf } from "../config/config-variables.ts";
import { backendOf, openArchive } from "./archive.ts";
import { withJson } from "./command.ts";
import { attempt } from "./failure.ts";
import { exitCodes, interruption, printJson, printTable, progressBar, write } from "./terminal.ts";

interface MigrateFlags {
  readonly json?: boolean;
  readonly apply?: boolean;
  readonly check?: boolean;
  readonly dropOld?: boolean;
  readonly dataDir?: string;
  readonly backend?: string;
}

/** State of one store. */
interface StoreState {
  readonly store: StoreKind;
  readonly backend: string;
  /**
   * `ready`; `behind`, which `--apply` resolves; `on opening`, where opening migrates; or a code.
   */
  readonly schema: string;
  /** Events of an earlier version, where they are copied. */
  readonly earlier?: CopyReport;
  /** Comparison with the copy, with `--check`. */
  readonly parity?: ParityReport;
  /** Field of a code's error. */
  readonly field?: string;
  /** Search indexes over memory, where the backend has them. */
  readonly search_indexes?: readonly SearchMigrationRow[];
}

/** Adds the command. */
export function addMigrateCommand(program: Command): void {
  withJson(program.command("migrate"))
    .description(
      "show whether stores are of this version; --apply migrates them and copies old evidence",
    )
    .option("--apply", "change the stores; without it nothing is changed")
    .option("--check", "compare each event of an earlier version with its copy")
    .option("--drop-old", "with --apply, delete what an earlier version wrote, once it is compared")
    .option("--data-dir <dir>", "directory of embedded stores (default .turnproof)")
    .option("--backend <kind>", anyOf(providersWith("evidence")))
    .addHelpText(
      "after",
      `
Additive and forward only, as the owner of the schema; data of a newer version is refused.
Evidence of an earlier version (files, old tables or documents) is copied: an interrupted
copy continues at the next run (exit code 3), and the originals stay until --apply
--drop-old, which compares each event with the copy first and refuses (migration_differs)
where one is missing. Stop collectors of that version first, and any that uses an embedded
ClickHouse. MongoDB's search indexes over memory are made, given every filter field and waited
for; a build that is interrupted here goes on at the server. Exit code 3 while a store or a
search index is behind.`,
    )
    .action((flags: MigrateFlags) => attempt(flags, () => migrate(flags)));
}

async function migrate(flags: MigrateFlags): Promise<void> {
  const config = readConfig(flags);
  const states: StoreState[] = [];
  for (const kind of ["evidence", "memory"] as const) {
    if (backendOf(config, kind) === "none") continue;
    states.push(await stateOf(config, kind, flags));
  }
  const applied = flags.apply === true;
  if (flags.json === true) printJson({ applied, stores: states });
  else {
    const rows = states.map(({ store, backend, schema, field, earlier }) => [
      store,
      backend,
      field === undefined ? schema : `${schema} (${field})`,
      earlier === undefined ? "" : `${earlier.copied} of ${earlier.events}`,
    ]);
    const head = ["STORE", "BACKEND", "SCHEMA", "EARLIER EVENTS COPIED"];
    printTable(head, rows);
    for (const { store, parity } of states) {
      if (parity === undefined) continue;
      const { events, missing, roots, deleted } = parity;
      write(
        `${store}: ${missing} of ${events} earlier events are not in the copy (${roots} roots); ` +
          `${deleted} were deleted since.`,
      );
    }
    const search = states.flatMap(({ search_indexes: found }) => found ?? []);
    if (search.length > 0) {
      printTable(
        ["COLLECTION", "SEARCH INDEX", "DIMENSIONS"],
        search.map((row) => [row.collection, row.state, String(row.dimensions ?? "")]),
      );
    }
    if (!applied) write("A dry run: --apply changes the stores.");
  }
  const failed = states.some(
    ({ schema, parity }) =>
      !["ready", "behind", "on opening"].includes(schema) ||
      (schema === "ready" && (parity?.missing ?? 0) > 0),
  );
  const behind = states.some(
    ({ schema, parity, search_indexes: found }) =>
      schema === "behind" ||
      parity?.complete === false ||
      found?.some(({ state }) => !settled.has(state)) === true,
  );
  process.exitCode = failed ? exitCodes.failed : behind ? exitCodes.partial : exitCodes.ok;
}

/** States of a search index that a migration does not change. */
const settled: ReadonlySet<SearchMigrationRow["state"]> = new Set([
  "ready",
  "no vectors",
  "no search",
]);

async function stateOf(config: Config, kind: StoreKind, flags: MigrateFlags): Promise<StoreState> {
  const backend = backendOf(config, kind);
  const about = { store: kind, backend };
  const applied = flags.apply === true;
  try {
    const archive = await openArchive(config, kind, { mayChange: applied });
    if (archive === undefined) {
      const own = kind === "evidence" && backend === "clickhouse";
      if (own) return { ...about, ...(await clickhouseState(config, flags)) };
      return { ...about, schema: await schemaOf(config, kind, applied) };
    }
    await using opened = archive;
    const check = await (kind === "evidence" ? opened.evidence : opened.memory).check();
    const schema = check.ok ? "ready" : (check.code ?? "store_unavailable");
    // Memory's own indexes are part of the schema.
    if (kind === "memory") {
      const found = await searchIndexesOf(opened, applied);
      return { ...about, schema, ...(found === undefined ? {} : { search_indexes: found }) };
    }
    const { earlier, parity } = await earlierOf(opened, flags);
    const behind = earlier !== undefined && earlier.copied < earlier.events;
    const stated = earlier === undefined ? {} : { earlier, ...(parity && { parity }) };
    return { ...about, schema: schema === "ready" && behind ? "behind" : schema, ...stated };
  } catch (error) {
    if (!CodedError.is(error)) throw error;
    const isUnmade = error.code === "not_configured" && !namesVariable(error.field);
    const behind = !applied && (isUnmade || error.code === "migration_pending");
    const about_code = error.field === undefined ? {} : { field: error.field };
    return { ...about, ...(behind ? { schema: "behind" } : { schema: error.code, ...about_code }) };
  }
}

/** Copies, compares and drops data of an earlier version, as requested. */
async function earlierOf(
  { copyOld, checkOld, dropOld }: Pick<Archive, "copyOld" | "checkOld" | "dropOld">,
  { apply, check, dropOld: dropping }: MigrateFlags,
): Promise<Pick<StoreState, "earlier" | "parity">> {
  if (copyOld === undefined) return {};
  const bar = progressBar("earlier events");
  const report = await copyOld({
    dryRun: apply !== true,
    signal: interruption(),
    onProgress: bar,
  });
  bar.end();
  if (dropping === true && apply === true) {
    await dropOld?.();
    return { earlier: { ...report, events: 0, copied: 0 } };
  }
  if (check !== true || checkOld === undefined) return { earlier: report };
  const comparing = progressBar("events compared");
  const parity = await checkOld({ signal: interruption(), onProgress: comparing });
  comparing.end();
  return { earlier: report, parity };
}

/** The server builds search indexes; a build continues when the run is ended. */
async function searchIndexesOf(
  { vectors }: Archive,
  applied: boolean,
): Promise<readonly SearchMigrationRow[] | undefined> {
  if (vectors === undefined) return undefined;
  const bar = progressBar("search indexes");
  const requested = { dryRun: !applied, signal: interruption(), onProgress: bar };
  const found = await vectors.migrate(requested);
  bar.end();
  return found;
}

/** Without its connection string a store's state is unknown, not behind. */
function namesVariable(field: string | undefined): boolean {
  return field !== undefined && /^[A-Z_]+$/.test(field);
}

/** An ephemeral store is migrated when it is opened. */
async function schemaOf(config: Config, kind: StoreKind, applied: boolean): Promise<string> {
  if (!applied || kind === "memory") return "on opening";
  await using store = await openStore(config);
  const check = await store.check();
  return check.ok ? "ready" : (check.code ?? "store_unavailable");
}

/** ClickHouse maintains its index by itself; a dry run opens only existing data. */
async function clickhouseState(
  config: Config,
  flags: MigrateFlags,
): Promise<Pick<StoreState, "schema" | "earlier" | "parity">> {
  const connection = connectionOf(config);
  const mayChange = flags.apply === true;
  const lies = "dataDir" in connection ? join(connection.dataDir, "clickhouse") : undefined;
  if (!mayChange && lies !== undefined && !existsSync(lies)) return { schema: "on opening" };
  await using admin = await clickhouseAdmin({ connection, mayChange });
  const { earlier, parity } = await earlierOf(admin, flags);
  if (earlier === undefined || earlier.events === 0) return { schema: "ready" };
  const schema = earlier.copied < earlier.events ? "behind" : "ready";
  return { schema, earlier, ...(parity && { parity }) };
}
