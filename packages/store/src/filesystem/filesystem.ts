/**
 * @module Filesystem: evidence and memory in one directory of plain files (design 5.2). Several
 * processes may use it at once; writers take turns. Local attackers are held off by the modes of
 * the directory (0700, files 0600), hostile ids by their encoding, and links by never being
 * followed.
 */

import { offerErasure } from "../erasure.ts";
import { erasureOf } from "../evidence-erasure.ts";
import type { CheckResult } from "../evidence-store.ts";
import { retainEvidence } from "../evidence-retention.ts";
import type { RetentionRows } from "../evidence-retention.ts";
import { retainMemory } from "../memory/memory-retention.ts";
import type { NativeIndex } from "../native-index.ts";
import type { Provider } from "../provider.ts";
import type { Retention } from "../retention.ts";
import type { Reads } from "../scoped-reads.ts";
import { checkBy } from "../store-check.ts";
import { batchCatalog } from "./batch-catalog.ts";
import type { DiskCalls } from "./disk-calls.ts";
import { systemCalls } from "./disk-calls.ts";
import type { Disk } from "./disk.ts";
import { openDisk } from "./disk.ts";
import { erasureRows } from "./erasure-rows.ts";
import { evidenceReads } from "./evidence-reads.ts";
import { filesystemEvidence } from "./filesystem-evidence.ts";
import { filesystemIndex } from "./filesystem-index.ts";
import { filesystemMemory } from "./filesystem-memory.ts";
import { ledgerFile } from "./ledger-file.ts";
import { memoryRows } from "./memory-rows.ts";
import { retentionRows } from "./retention-rows.ts";
import type { BatchRow } from "./retention-rows.ts";
import { rootLoader } from "./root-loader.ts";
import { newLife } from "./store-life.ts";
import { termIndex } from "./term-index.ts";
import { verdictFiles } from "./verdict-files.ts";
import { writeLock } from "./write-lock.ts";
import type { LockTimes, WriteLock } from "./write-lock.ts";

/** Where the files lie. */
export interface FilesystemOptions {
  readonly directory: string;
  /** ISO 8601 UTC now; default: the clock of the process. */
  readonly clock?: () => string;
  /** How writers of several processes wait for each other. */
  readonly lock?: Partial<LockTimes>;
  /** `native`: evidence is read through its index wherever that is provisioned; default: never. */
  readonly reads?: "compatibility" | "native";
  /** Calls of the operating system; default: the real ones. */
  readonly calls?: DiskCalls;
}

/** A directory that holds both ports. */
export interface FilesystemProvider extends Provider {
  readonly name: "filesystem";
  /** The native index over evidence, for operators' commands. */
  readonly index: NativeIndex;
}

/**
 * Opens both ports in a directory, which is made (0700) when it is missing.
 * @throws CodedError store_unavailable, store_read_only, store_corrupt
 */
export async function filesystem(options: FilesystemOptions): Promise<FilesystemProvider> {
  const disk = await openDisk(options.directory, options.calls ?? systemCalls);
  const clock = options.clock ?? (() => new Date().toISOString());
  const check = checkOf(disk);
  const evidenceLock = writeLock(disk, ["locks", "evidence"], options.lock);
  const memoryLock = writeLock(disk, ["locks", "memory"], options.lock);
  const rows = memoryRows(disk, memoryLock);
  const memory = filesystemMemory({
    rows,
    lock: memoryLock,
    clock,
    check: async () => {
      const checked = await check();
      if (!checked.ok || !(await rows.hasRefused())) return checked;
      return { ...checked, diagnostics: ["memory_rows_unowned"] };
    },
  });
  const { evidence, index, rows: stored } = evidenceOf(disk, evidenceLock, check, options.reads);
  const retention: Retention = {
    evidence: (asked) => retainEvidence(stored, asked),
    memory: (asked) => retainMemory(memory.admin, asked),
  };
  const close = async (): Promise<void> => {
    await evidence.close();
    await memory.close();
  };
  return {
    name: "filesystem",
    evidence,
    memory,
    retention,
    index,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function evidenceOf(
  disk: Disk,
  lock: WriteLock,
  check: () => Promise<CheckResult>,
  path: FilesystemOptions["reads"] = "compatibility",
): Pick<FilesystemProvider, "evidence" | "index"> & { readonly rows: RetentionRows<BatchRow> } {
  const life = newLife();
  const catalog = batchCatalog(disk);
  const parts = { disk, catalog, load: rootLoader(disk), open: () => life.open() };
  const compatibility = evidenceReads(parts);
  const native = (): Reads => evidenceReads({ ...parts, index: termIndex(disk, catalog) });
  const verdicts = verdictFiles(disk, lock);
  const evidence = filesystemEvidence({
    disk,
    catalog,
    life,
    check,
    idle: () => lock.idle(),
    reads: path === "native" ? native() : compatibility,
    verdicts,
    ledger: ledgerFile(disk, life),
  });
  const index = filesystemIndex({ ...parts, compatibility, native });
  const rewritten = { disk, catalog, lock, verdicts };
  const append = evidence.append.bind(evidence);
  offerErasure(evidence, erasureOf(erasureRows(rewritten, append)));
  return { evidence, index, rows: retentionRows(rewritten) };
}

function checkOf(disk: Disk): () => Promise<CheckResult> {
  return () => checkBy(() => disk.list([]));
}
