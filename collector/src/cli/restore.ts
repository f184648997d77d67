/**
 * @module `turnproof restore`: a data directory from a backup. Each file is checked by its hash;
 * `--verify` then opens what was restored and counts it again.
 */
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";

import { CodedError } from "@turnproof/semconv";
import type { Command } from "commander";

import { verifyAudit } from "../access/audit/verify.ts";
import { readPublicKey } from "../access/audit/checkpoint.ts";
import { fieldOf, readKeyring } from "../access/stable-secret.ts";
import { readConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import { countIn, requireEmpty } from "./backup.ts";
import { auditHead, differences } from "./backup-counts.ts";
import { copyHashed, readManifest } from "./backup-manifest.ts";
import type { BackupEntry, Manifest } from "./backup-manifest.ts";
import { dataFolder, missingKeys } from "./backup-parts.ts";
import { withJson } from "./command.ts";
import { attempt } from "./failure.ts";
import { moveInto, onDisk, withPartial } from "./partial-folder.ts";
import { missingAudit, placeAudit } from "./restored-audit.ts";
import { exitCodes, fail, printJson, printTable, write } from "./terminal.ts";

interface RestoreFlags {
  readonly json?: boolean;
  readonly from: string;
  readonly verify?: boolean;
  readonly dataDir?: string;
}

/** Adds the command. */
export function addRestoreCommand(program: Command): void {
  withJson(program.command("restore"))
    .description("make a data directory from a backup")
    .requiredOption("--from <folder>", "folder of the backup")
    .option("--verify", "open what was restored and compare its counts and audit log")
    .option("--data-dir <dir>", "directory to make; must not hold files (default .turnproof)")
    .addHelpText(
      "after",
      `
Nothing is written over existing files, and a backup in which a file is missing or changed is not
restored. Use the environment of the collector that was lost, with its backend and audit log.

Exit codes: 0 restored, and with --verify the same as when the backup was made; 1 not restored, or
something differs; 3 restored, and --verify could not count the store, because it is on a server.`,
    )
    .action((flags: RestoreFlags) => attempt(flags, () => restore(flags)));
}

async function restore(flags: RestoreFlags): Promise<void> {
  const config = readConfig(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir });
  const manifest = await readManifest(flags.from);
  requireSame(config, manifest);
  const target = resolve(config.dataDir);
  await requireEmpty(target);
  const auditFile = resolve(config.auditLog ?? join(target, "audit.jsonl"));
  await missingAudit(manifest, auditFile);
  await onDisk(
    target,
    withPartial(`${target}.partial`, "restore", async (content) => {
      for (const item of manifest.entries) await restoreEntry(item, flags.from, content);
      const data = join(content, dataFolder);
      await mkdir(data, { recursive: true, mode: 0o700 });
      // A collector that starts on data without its audit log would begin another.
      await placeAudit(manifest, { file: auditFile, target }, { content, data });
      await moveInto(data, target);
    }),
  );
  await report(flags, { ...config, dataDir: target }, { manifest, auditFile });
}

/** @throws CodedError config_invalid naming the variable of a store that the backup has not */
function requireSame(config: Config, { backend, memory_backend: memory }: Manifest): void {
  if (config.backend !== backend) {
    throw new CodedError("config_invalid", { field: `TURNPROOF_BACKEND=${backend}` });
  }
  if (config.memoryBackend !== memory) {
    throw new CodedError("config_invalid", { field: `TURNPROOF_MEMORY_BACKEND=${memory}` });
  }
}

/** @throws CodedError backup_invalid naming the path in the backup */
async function restoreEntry(item: BackupEntry, from: string, to: string): Promise<void> {
  const { path: field } = item;
  const target = join(to, field);
  if (item.is === "folder") await mkdir(target, { recursive: true, mode: 0o700 });
  else if (item.is === "link") {
    const leads = resolve(dirname(target), item.target);
    if (!leads.startsWith(to + sep)) throw new CodedError("backup_invalid", { field });
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await symlink(item.target, target);
  } else {
    const { sha256 } = await copyHashed(join(from, field), target, item.bytes + 1).catch(
      (error: unknown) => {
        const isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
        throw isGone ? new CodedError("backup_invalid", { field }) : error;
      },
    );
    if (sha256 !== item.sha256) throw new CodedError("backup_invalid", { field });
  }
}

async function report(
  flags: RestoreFlags,
  config: Config,
  { manifest, auditFile }: { readonly manifest: Manifest; readonly auditFile: string },
): Promise<void> {
  const { entries, evidence: expected } = manifest;
  const files = entries.filter(({ is }) => is === "file").length;
  if (flags.verify !== true) {
    if (flags.json === true) printJson({ data_dir: config.dataDir, files });
    else write(`${files} files were restored. Check them with --verify, or by turnproof doctor.`);
    return;
  }
  const evidence = expected === null ? null : await countIn(config);
  const audit = manifest.audit === null ? null : await auditHead(auditFile);
  const different = [
    ...differences(manifest, { evidence, audit }),
    ...missingKeys(config.dataDir, entries).map((name) => ({
      what: fieldOf(name),
      expected: "1",
      found: "0",
    })),
  ];
  const isWhole = audit === null || (await auditHolds(config, auditFile));
  if (flags.json === true) {
    const reported = { evidence, audit, audit_holds: isWhole, different };
    printJson({ data_dir: config.dataDir, files, ...reported });
  } else {
    printTable(
      ["WHAT", "IN THE BACKUP", "RESTORED"],
      different.map((row) => [row.what, row.expected, row.found]),
      `${files} files, ${evidence?.events ?? "no"} events, ${evidence?.turns ?? "no"} turns and ` +
        `${audit?.records ?? "no"} audit records are as they were.`,
    );
  }
  if (!isWhole) fail("The audit log does not verify; `turnproof audit verify` shows where.");
  else if (different.length > 0) process.exitCode = exitCodes.failed;
  else if (expected === null) {
    write("The store is not in the backup: restore it by its own means, and count it there.");
    process.exitCode = exitCodes.partial;
  }
}

async function auditHolds(config: Config, file: string): Promise<boolean> {
  const { ok } = await verifyAudit({
    file,
    keyring: () => readKeyring(config.sessionSecret, config.dataDir),
    origin: config.auditScope,
    publicKey: () => readPublicKey(config.dataDir),
  });
  return ok;
}
