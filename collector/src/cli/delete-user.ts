/**
 * @module `turnproof delete-user`: deletes, or counts, everything stored here for one user:
 * journal entries, the forward queue, evidence with its turns, alerts, memory kind by kind with its
 * caches, replays, and spools given by path (requirements: Scope hierarchy 6). It reports what it
 * cannot reach.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import type { Command } from "commander";
import { attribute, CodedError, screenValue } from "@turnproof/semconv";
import { createIdentityKey } from "@turnproof/semconv/name-key";
import { eraseSpool } from "@turnproof/exporter/erase-spool";
import { providersWith } from "@turnproof/store";
import type { AdministeredMemory, EvidenceStore } from "@turnproof/store";
import { deleteUser as deleteRows, deleteUserEvidence } from "@turnproof/store/admin";

import { deletionReason, deletionReasons } from "../access/audit/deletion-reason.ts";
import { openIdentityKey } from "../access/stable-secret.ts";
import { openMemory, openStore, serverOf } from "../backend/backend.ts";
import { readConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import { alertPlaces, alertsFile, eraseAlerts } from "../alerts/erase-alerts.ts";
import { connectionOf, evidenceFolder, memoryFolder } from "../backend/store-places.ts";
import { anyOf } from "../config/config-variables.ts";
import { withJson } from "./command.ts";
import { auditDeletion } from "./deletion-audit.ts";
import { beyondReach } from "./deletion-reach.ts";
import type { ReachPlace } from "./deletion-reach.ts";
import { deleteMentions } from "./deletion-mentions.ts";
import { eraseForward } from "./erase-forward.ts";
import { eraseJournal } from "./erase-journal.ts";
import { attempt } from "./failure.ts";
import { exitCodes, interruption, printJson, printTable, progressBar, write } from "./terminal.ts";

interface DeleteFlags {
  readonly json?: boolean;
  readonly apply?: boolean;
  readonly dataDir?: string;
  readonly backend?: string;
  readonly spool?: readonly string[];
  readonly reason?: string;
}

/** A line of the report. */
interface DeletionPlace {
  readonly kind: string;
  readonly found: number;
  readonly deleted: number;
  readonly remaining: number | null;
  readonly error?: string;
}

/** Input of a run, and its results. */
interface Run {
  readonly config: Config;
  /** The id as typed, and its keyed form. */
  readonly users: readonly string[];
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly places: DeletionPlace[];
  readonly unreached: Set<ReachPlace>;
}

/** Adds the command. */
export function addDeleteUserCommand(program: Command): void {
  withJson(program.command("delete-user <user_id>"))
    .description("show what is stored of one user; --apply deletes it, store by store")
    .option("--apply", "delete; without it rows are only counted")
    .option("--reason <code>", `why, for the audit log: ${anyOf(deletionReasons)}`)
    .option("--spool <dirs...>", "spools of producers on this machine that are not running")
    .option("--backend <kind>", anyOf(providersWith("evidence", "durable")))
    .option("--data-dir <dir>", "directory of embedded stores (default .turnproof)")
    .addHelpText(
      "after",
      `
The user is exactly this id, under every agent and application: no prefix, no other case, no other
Unicode form. Its keyed form is deleted too. Covered are the journal and its quarantine, evidence
with its turns and what operators noted on them, memory with its caches, replays, spans that wait
to be forwarded, roots in alerts, and the spools that are named. Deleted bytes are removed from the
data files as far as the store allows; the report lists where they may remain.

A deletion is recorded in the audit log without the user, with its reason where one is given; the
log is TURNPROOF_UI_AUDIT_LOG, else audit.jsonl in the data directory. No other text is a reason, so
that no content enters the log.

Stop the collector first. An interrupted run continues at the next one; run it once more after
producers that were offline have sent what they held. Exit code 3 when something is left or could
not be read.`,
    )
    .action((user: string, flags: DeleteFlags) => attempt(flags, () => deleteUser(user, flags)));
}

async function deleteUser(userId: string, flags: DeleteFlags): Promise<void> {
  if (userId === "") throw new CodedError("identity_empty", { field: "user_id" });
  const reason = deletionReason(flags.reason);
  const config = withStoreOnDisk(readConfig(flags));
  const users = storedForms(userId, config);
  const dryRun = flags.apply !== true;
  if (!dryRun && config.legalHold) throw new CodedError("legal_hold");
  const signal = interruption();
  const run: Run = { config, users, dryRun, signal, places: [], unreached: new Set() };
  // A deletion that cannot be recorded is not done.
  await using audit = dryRun ? undefined : await auditDeletion(config, reason);
  await eraseFrom(run);
  run.places.push(...otherStores(config));
  for (const directory of flags.spool ?? []) await spoolOf(run, directory);
  const left = run.places.reduce((sum, { remaining }) => sum + (remaining ?? 0), 0);
  const failed = run.places.some(({ error }) => error !== undefined) || signal.aborted;
  const done = !failed && (dryRun || left === 0);
  for (const user of users) audit?.forget(user);
  await audit?.record(done ? "ok" : "partial");
  report(run, { left, failed, json: flags.json === true, spools: flags.spool?.length ?? 0 });
  process.exitCode = done ? exitCodes.ok : exitCodes.partial;
}

async function eraseFrom(run: Run): Promise<void> {
  const { config, users, dryRun } = run;
  const store = await openEvidence(config, dryRun);
  const memory = await openMemory(config);
  try {
    const journal = await eraseJournal({
      dataDir: config.dataDir,
      userIds: users,
      store: dryRun ? undefined : store,
      ...(config.forward === undefined ? {} : { forward: config.forward }),
    });
    if (journal !== undefined) {
      run.places.push({ kind: "journal", ...journal });
      if (journal.unreadable > 0) run.unreached.add("journal_unreadable");
    }
    const roots = new Set<string>();
    if (store !== undefined) await evidenceOf(run, store, { dryRun: true, roots });
    await queuesOf(run, store, roots);
    // Replays refer to roots, which are unknown once their rows are deleted.
    if (memory !== undefined) {
      const mentions = await deleteMentions(memory, { users, roots, dryRun });
      run.places.push({ kind: "replays", ...mentions });
    }
    if (store !== undefined) await evidenceOf(run, store, { dryRun });
    if (memory !== undefined) await memoryOf(run, memory);
  } finally {
    await memory?.close();
    await store?.close();
  }
}

/** What waits to be sent elsewhere, and alerts with roots of the user. */
async function queuesOf(
  { config, users, dryRun, places, unreached }: Run,
  store: EvidenceStore | undefined,
  roots: ReadonlySet<string>,
): Promise<void> {
  const { dataDir } = config;
  const forward = await eraseForward({ dataDir, userIds: users, roots, dryRun });
  if (forward !== undefined) places.push({ kind: "forward queue", ...forward });
  if ((forward?.unreadable ?? 0) > 0) unreached.add("forward_unreadable");
  if (forward !== undefined || config.forward !== undefined) unreached.add("forwarded");
  // A store in this process has no state that collectors share.
  const state = serverOf(config) === undefined ? undefined : store?.state;
  const scope = config.auditScope;
  for (const keep of alertPlaces({ file: alertsFile(dataDir), state, scope })) {
    try {
      places.push({ kind: keep.kind, ...(await eraseAlerts(keep, roots, dryRun)) });
    } catch (error) {
      if (!CodedError.is(error)) throw error;
      places.push({ kind: keep.kind, found: 0, deleted: 0, remaining: null, error: error.code });
    }
  }
}

/** A dry run creates nothing, so without a store there is nothing to count. */
async function openEvidence(config: Config, dryRun: boolean): Promise<EvidenceStore | undefined> {
  if (config.backend === "ephemeral") return undefined;
  const connection = connectionOf(config);
  const embedded = config.backend === "clickhouse" && "dataDir" in connection;
  const folder = config.backend === "filesystem" ? evidenceFolder(config) : undefined;
  const lies = folder ?? (embedded ? connection.dataDir : undefined);
  if (dryRun && lies !== undefined && !existsSync(lies)) return undefined;
  return openStore(config);
}

/**
 * The configuration with the store that has the evidence. Where a collector ran without the
 * embedded engine, evidence is in a SQLite file and the engine's folder is empty.
 */
function withStoreOnDisk(config: Config): Config {
  const embedded = config.backend === "clickhouse" && config.clickhouseUrl === undefined;
  if (!embedded || existsSync(join(config.dataDir, "clickhouse"))) return config;
  return existsSync(evidenceFolder(config)) ? { ...config, backend: "filesystem" } : config;
}

/** Evidence and memory in this data directory that the configured backends do not use. */
function otherStores(config: Config): readonly DeletionPlace[] {
  const { dataDir, backend, memoryBackend } = config;
  const engine = join(dataDir, "clickhouse");
  const embedded = backend === "clickhouse" && config.clickhouseUrl === undefined;
  const stores = [
    {
      kind: "evidence of the filesystem backend",
      folder: evidenceFolder(config),
      looked: backend === "filesystem",
    },
    { kind: "evidence of the clickhouse backend", folder: engine, looked: embedded },
    {
      kind: "memory of the filesystem backend",
      folder: memoryFolder(config),
      looked: memoryBackend === "filesystem",
    },
  ];
  return stores
    .filter(({ folder, looked }) => !looked && existsSync(folder) && readdirSync(folder).length > 0)
    .map(({ kind }) => ({ kind, found: 0, deleted: 0, remaining: null, error: "not read" }));
}

/** With `roots` it only counts, and collects them. */
async function evidenceOf(
  run: Run,
  store: EvidenceStore,
  { dryRun, roots }: { readonly dryRun: boolean; readonly roots?: Set<string> },
): Promise<void> {
  for (const userId of run.users) {
    const bar = progressBar("evidence");
    const done = await deleteUserEvidence(store, {
      userId,
      dryRun,
      signal: run.signal,
      onProgress: bar,
      ...(roots === undefined ? {} : { onRoot: (root) => void roots.add(root) }),
    });
    bar.end();
    if (roots !== undefined) continue;
    const { found, deleted, complete } = done;
    const remaining = dryRun ? found : complete ? 0 : found - deleted;
    add(run, { kind: "evidence", found, deleted, remaining });
    for (const place of done.unreached) run.unreached.add(place);
  }
}

async function memoryOf(run: Run, memory: AdministeredMemory): Promise<void> {
  for (const userId of run.users) {
    const done = await deleteRows(memory.admin, { userId, dryRun: run.dryRun });
    for (const { collection: kind, found, deleted, remaining, error } of done.kinds) {
      const left = error === undefined ? (remaining ?? found) : null;
      const failure = error === undefined ? {} : { error };
      add(run, { kind, found, deleted, remaining: left, ...failure });
    }
    for (const place of done.unreached) run.unreached.add(place);
  }
}

async function spoolOf(run: Run, directory: string): Promise<void> {
  const { users: userIds, dryRun } = run;
  // Checking a mistyped directory must not create it.
  if (!existsSync(directory)) throw new CodedError("parameter_invalid", { field: "spool" });
  const { found, deleted, unreadable } = await eraseSpool({ directory, userIds, dryRun });
  add(run, { kind: "spool", found, deleted, remaining: found - deleted });
  if (unreadable > 0) run.unreached.add("spool_unreadable");
}

/** Adds to the line of its kind. */
function add({ places }: Run, more: DeletionPlace): void {
  const at = places.findIndex(({ kind }) => kind === more.kind);
  const known = places[at];
  if (known === undefined) return void places.push(more);
  const error = known.error ?? more.error;
  // After a failure the number is unknown.
  const unknown = known.remaining === null || more.remaining === null;
  places[at] = {
    kind: more.kind,
    found: known.found + more.found,
    deleted: known.deleted + more.deleted,
    remaining: unknown ? null : (known.remaining ?? 0) + (more.remaining ?? 0),
    ...(error === undefined ? {} : { error }),
  };
}

function report(
  { places, unreached, dryRun }: Run,
  reported: {
    readonly left: number;
    readonly failed: boolean;
    readonly json: boolean;
    readonly spools: number;
  },
): void {
  const beyond = beyondReach(unreached, reported.spools);
  if (reported.json) {
    const kinds = places;
    printJson({ applied: !dryRun, kinds, remaining: reported.left, unreached: beyond });
    return;
  }
  const rows = places.map(({ kind, found, deleted, remaining, error }) => [
    kind,
    String(found),
    String(deleted),
    error ?? String(remaining),
  ]);
  printTable(["PLACE", "FOUND", "DELETED", "LEFT"], rows, "Nothing is kept here.");
  write(`\nNot reached from here:\n${beyond.map(({ sentence }) => `  ${sentence}`).join("\n")}`);
  if (dryRun) write("\nA dry run: --apply deletes these rows.");
  else if (reported.failed || reported.left > 0) write("\nSomething is left: run it again.");
}

/** Ids that every version of the guard admits. */
const plainId = /^[A-Za-z][A-Za-z0-9_.:-]{0,239}$/;

/**
 * The id as typed and, unless it is a plain id, its keyed form: a host may store memory under
 * either, and an older guard keyed more of them. Checking only one could miss all data.
 */
function storedForms(userId: string, config: Config): readonly string[] {
  // Older versions screened a user's id like a thread's, before telephone numbers and IP addresses
  // were admitted.
  const rows = [attribute.user_id, attribute.thread_id];
  const isPlain = rows.every((row) => screenValue(row, userId) === undefined);
  if (plainId.test(userId) && isPlain) return [userId];
  const key = openIdentityKey(config.identityKey, config.dataDir);
  return [userId, createIdentityKey(key)(userId, attribute.user_id)];
}
