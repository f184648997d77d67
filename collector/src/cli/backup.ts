/**
 * @module `turnproof backup`: a copy of the data directory while the collector runs, with what it
 * holds. A store on a server is copied by its own means afterwards.
 */
import { readdir } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { CodedError, isoNow } from "@turnproof/semconv";
import { snapshotEngine, snapshotEvidence } from "@turnproof/store/admin";
import type { Command } from "commander";

import { openStore, serverOf } from "../backend/backend.ts";
import { postgresFolder } from "../backend/postgres-place.ts";
import { readConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import { ifThere } from "../config/data-files.ts";
import { version } from "../version.ts";
import { auditHead, countEvidence } from "./backup-counts.ts";
import { copyTree, writeManifest } from "./backup-manifest.ts";
import type { BackupEntry, EvidenceCounts, Manifest } from "./backup-manifest.ts";
import { copyAudit, copyDocuments, copyJournal, copyState } from "./backup-parts.ts";
import { auditFolder, auditName, dataFolder } from "./backup-parts.ts";
import { withJson } from "./command.ts";
import { attempt } from "./failure.ts";
import { moveInto, onDisk, withPartial } from "./partial-folder.ts";
import { printJson, printTable, progressLines, write } from "./terminal.ts";
import type { ProgressLines } from "./terminal.ts";

interface BackupFlags {
  readonly json?: boolean;
  readonly to: string;
  readonly dataDir?: string;
}

/** Adds the command. */
export function addBackupCommand(program: Command): void {
  withJson(program.command("backup"))
    .description("copy the data directory while the collector runs, and count what it holds")
    .requiredOption("--to <folder>", "folder of the backup; must not hold files")
    .option("--data-dir <dir>", "data directory (default .turnproof)")
    .addHelpText(
      "after",
      `
Journal, keys, audit log, memory files and the embedded store are copied: SQLite as of one moment,
the embedded ClickHouse by hard links beside the data directory first. The copy is opened and read
once, so that the manifest has the number of its events and turns. A database on a server or in a
folder of its own is not in the backup: copy it afterwards, never before (docs/operate/backup.md).
TURNPROOF_BACKEND is that of the collector.

The backup holds the keys and what the stores hold: encrypt it.`,
    )
    .action((flags: BackupFlags) => attempt(flags, () => backup(flags)));
}

async function backup(flags: BackupFlags): Promise<void> {
  const config = readConfig(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir });
  if (!existsSync(config.dataDir)) throw new CodedError("not_configured", { field: "data dir" });
  requireOwnStore(config);
  const target = resolve(flags.to);
  await requireEmpty(target);
  const lines = progressLines();
  const made = await onDisk(
    target,
    withPartial(`${target}.partial`, "backup", async (content) => {
      const copied = await copyAll(config, content, lines).finally(() => lines.end());
      await writeManifest(content, copied);
      await moveInto(content, target);
      return copied;
    }),
  );
  const { entries, evidence, audit } = made;
  const bytes = entries.reduce((sum, item) => sum + (item.is === "file" ? item.bytes : 0), 0);
  const files = entries.filter(({ is }) => is === "file").length;
  if (flags.json === true) printJson({ to: target, files, bytes, evidence, audit });
  else {
    printTable(
      ["FILES", "BYTES", "EVENTS", "TURNS", "AUDIT RECORDS"],
      [[files, bytes, evidence?.events ?? "-", evidence?.turns ?? "-", audit?.records ?? "-"]].map(
        (row) => row.map(String),
      ),
    );
  }
  for (const place of databasesOf(config)) {
    write(`Not in the backup: ${place}. Copy it now; docs/operate/backup.md has the steps.`);
  }
}

const storeFolders: Readonly<Record<string, string>> = {
  clickhouse: "clickhouse",
  filesystem: "files",
};

/**
 * The counts of another backend's empty store would stand for those of this one, and agree after a
 * restore. @throws CodedError not_configured where only another embedded store is there
 */
function requireOwnStore(config: Config): void {
  if (serverOf(config) !== undefined) return;
  const own = storeFolders[config.backend];
  const isThere = (name: string): boolean => existsSync(join(config.dataDir, name));
  if ((own !== undefined && isThere(own)) || !Object.values(storeFolders).some(isThere)) return;
  throw new CodedError("not_configured", { field: "TURNPROOF_BACKEND" });
}

/** @throws CodedError folder_not_empty, file_unreadable */
export async function requireEmpty(folder: string): Promise<void> {
  // A folder that is not there holds nothing.
  const names = (await ifThere(readdir(folder), basename(folder))) ?? [];
  if (names.length > 0) throw new CodedError("folder_not_empty", { field: basename(folder) });
}

/** Databases that are not in the data directory. */
function databasesOf(config: Config): readonly string[] {
  const hosts = [serverOf(config), serverOf(config, config.memoryBackend)];
  const url = [config.backend, config.memoryBackend].includes("postgres") && config.postgresUrl;
  if (typeof url === "string" && postgresFolder(url) !== undefined) {
    hosts.push("the folder of the embedded PostgreSQL, for which the collector has to stop");
  }
  return [...new Set(hosts.filter((host) => host !== undefined))];
}

async function copyAll(config: Config, to: string, lines: ProgressLines): Promise<Manifest> {
  const { dataDir } = config;
  lines.step("Copying state, journal, audit log and memory");
  // The log is there also where this environment has no accounts, and so no log of its own.
  const auditLog = config.auditLog ?? join(dataDir, "audit.jsonl");
  const entries = await copyState(dataDir, to, auditLog);
  entries.push(...(await copyJournal(dataDir, to, "journal")));
  entries.push(...(await copyJournal(dataDir, to, "forward")));
  const hasAudit = existsSync(auditLog);
  if (hasAudit) entries.push(...(await copyAudit(auditLog, to)));
  entries.push(...(await copyDocuments(dataDir, to, "memory")));
  const store = await copyStore(config, to, lines);
  return {
    format: 1,
    version,
    made_at: isoNow(),
    backend: config.backend,
    memory_backend: config.memoryBackend,
    evidence: store.evidence,
    audit: hasAudit ? await auditHead(join(to, auditFolder, auditName)) : null,
    entries: [...entries, ...store.entries],
  };
}

interface CopiedStore {
  readonly entries: readonly BackupEntry[];
  readonly evidence: EvidenceCounts | null;
}

/** The embedded store through a snapshot beside the data directory, which is counted. */
async function copyStore(config: Config, to: string, lines: ProgressLines): Promise<CopiedStore> {
  const { dataDir } = config;
  const folders = ["clickhouse", "files"].filter((name) => existsSync(join(dataDir, name)));
  if (serverOf(config) !== undefined || folders.length === 0) {
    return { entries: [], evidence: null };
  }
  // On the same disk, where hard links are possible. Of two backups at a time one is refused.
  const beside = join(dirname(resolve(dataDir)), `.${basename(resolve(dataDir))}.snapshot`);
  const snapshot = (staging: string): Promise<CopiedStore> =>
    copySnapshot(config, folders, { staging, to, lines });
  return withPartial(beside, "backup", snapshot);
}

async function copySnapshot(
  config: Config,
  folders: readonly string[],
  { staging, to, lines }: { staging: string; to: string; lines: ProgressLines },
): Promise<CopiedStore> {
  const entries: BackupEntry[] = [];
  let [files, bytes] = [0, 0];
  const onFile = (size: number): void => {
    files += 1;
    bytes += size;
    lines.at(`${files} files, ${Math.round(bytes / 1e6)} MB`);
  };
  for (const name of folders) {
    lines.step("Linking the store");
    const [from, into] = [join(config.dataDir, name), join(staging, name)];
    if (name === "clickhouse") await snapshotEngine(from, into);
    else await snapshotEvidence(from, into);
    if (!existsSync(into)) continue;
    lines.step("Copying the store");
    const inside = `${dataFolder}/${name}`;
    entries.push(...(await copyTree(into, join(to, dataFolder, name), inside, onFile)));
  }
  lines.step("Reading the copy");
  const onCounted = (events: number): void => lines.at(`${events} events`);
  return { entries, evidence: await countIn({ ...config, dataDir: staging }, onCounted) };
}

/** Counts of the embedded store of this data directory. */
export async function countIn(
  config: Config,
  onCounted?: (events: number) => void,
): Promise<EvidenceCounts> {
  const store = await openStore(config);
  try {
    return await countEvidence(store, onCounted);
  } finally {
    await store.close();
  }
}
