/**
 * @module EvidenceFile: the evidence of a directory in one SQLite file: bundles and turns. It is
 * opened by the first query, because memory alone also runs on a Node without SQLite. Several
 * processes and threads may use it at once: writers take turns, and readers never wait.
 */
import { dirname } from "node:path";

import { CodedError } from "@turnproof/semconv";

import type { CopyOptions, CopyReport, ParityReport } from "../evidence-admin.ts";
import { requireParity } from "../old-parity.ts";
import { offerErasure } from "../erasure.ts";
import type { Unreached } from "../erasure.ts";
import { erasureOf } from "../evidence-erasure.ts";
import { retainEvidence } from "../evidence-retention.ts";
import type { CheckResult, EvidenceStore } from "../evidence-store.ts";
import { lateLedger } from "../ledger/late-ledger.ts";
import type { Retention } from "../retention.ts";
import { capabilitiesOf } from "../providers.ts";
import { erasureRows, retentionRows } from "../sqlite/root-rows.ts";
import { openSqlite, openSqliteReadOnly, primaryCode } from "../sqlite/sqlite-database.ts";
import { requireSqlite } from "../sqlite/sqlite-database.ts";
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import {
  hasEvidenceTables,
  isThisVersion,
  dropVerdicts,
  makeEvidenceTables,
  sqliteEvidence,
} from "../sqlite/sqlite-evidence.ts";
import { codedSqlite } from "../sqlite/sqlite-error.ts";
import { giveBackRoom, purgeDeleted } from "../sqlite/sqlite-vacuum.ts";
import type { Disk, DiskPlace } from "./disk.ts";
import { earlierCopy } from "./earlier-copy.ts";
import { readFileWhole } from "./file-check.ts";
import type { EarlierCopy } from "./earlier-copy.ts";
import { legacyFiles } from "../legacy/bundles-filesystem.ts";
import { newLife } from "./store-life.ts";

/** Place of the file. */
const place: DiskPlace = ["evidence.sqlite"];

/** The evidence of a directory, with its administrative operations. */
export interface EvidenceFile {
  readonly evidence: EvidenceStore;
  readonly retain: Retention["evidence"];
  readonly copyOld: (options?: CopyOptions) => Promise<CopyReport>;
  readonly checkOld: (options?: Omit<CopyOptions, "dryRun">) => Promise<ParityReport>;
  readonly dropOld: () => Promise<void>;
}

interface Opened {
  /** The connection for writes. */
  readonly database: SqliteDatabase;
  readonly store: EvidenceStore;
  readonly earlier: EarlierCopy;
}

/** How a file is opened; part of the provider's options. */
interface Access {
  readonly readOnly?: boolean;
  readonly mayChange?: boolean;
}

/** The evidence of this disk. Rejects with `driver_missing` on a Node without SQLite. */
export function evidenceFile(
  disk: Disk,
  alive: () => Promise<CheckResult>,
  access: Access = {},
): EvidenceFile {
  const life = newLife();
  let opening: Promise<Opened> | undefined;
  const opened = (): Promise<Opened> => {
    life.open();
    opening ??= codedSqlite(() => openFile(disk, access)).catch((error: unknown) => {
      // The next query tries again.
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const request = <T>(work: (file: Opened) => Promise<T>): Promise<T> =>
    codedSqlite(async () => work(await opened()));
  /** Rows are attributed by complete roots, so uncopied data is copied first. */
  const change = <T>(work: (file: Opened) => Promise<T>): Promise<T> =>
    request((file) => {
      if (file.earlier.pending()) throw new CodedError("migration_pending");
      return work(file);
    });
  const close = async (): Promise<void> => {
    life.end();
    // A file that did not open needs no closing; its caller has the error.
    const file = await opening?.catch(() => undefined);
    await file?.store.close();
  };
  const evidence = lateStore(request, {
    name: "filesystem",
    ledger: codedLedger(request),
    readAll: (signal) => request(async () => readFileWhole(dirname(await disk.own(place)), signal)),
    check: async () =>
      life.ended() ? { ok: false, code: "store_closed", elapsedMs: 0 } : checked(alive, request),
    close,
  });
  offerErasure(evidence, (requested) =>
    change(({ database, earlier }) => {
      const purge = async (): Promise<readonly Unreached[]> => {
        // Files of an earlier version contain the user's rows as well.
        await dropEarlier(earlier);
        return (await purgeDeleted(database)) ? [] : ["filesystem_open_reads"];
      };
      return erasureOf(erasureRows(database, purge, legacyFiles(disk)))(requested);
    }),
  );
  return {
    evidence,
    retain: (requested) =>
      change(async ({ database }) => {
        const report = await retainEvidence(retentionRows(database), requested);
        if (!report.dry_run) await giveBackRoom(database);
        return report;
      }),
    copyOld: (options) => request(({ earlier }) => earlier.copy(options)),
    checkOld: (options) => request(({ earlier }) => earlier.check(options)),
    dropOld: () => request(({ earlier }) => dropEarlier(earlier)),
  };
}

/** Drops the files of an earlier version, if all of them are copied. */
async function dropEarlier(earlier: Opened["earlier"]): Promise<void> {
  if (!earlier.pending()) requireParity(await earlier.check());
  await earlier.drop();
}

async function openFile(disk: Disk, { readOnly, mayChange }: Access): Promise<Opened> {
  requireSqlite();
  if (mayChange === false) return openUnchanged(disk);
  const isNew = (await disk.stat(place)) === undefined;
  const path = await disk.own(place);
  if (isNew) await disk.sync([]);
  const log = await hasLog(disk);
  const database = openDatabase(path, log);
  let reader: SqliteDatabase | undefined;
  try {
    prepareTables(database);
    if (readOnly !== true) dropVerdicts(database);
    const earlier = earlierCopy(disk, database);
    await earlier.open();
    reader = openDatabase(path, log);
    const store = sqliteEvidence(reader, {
      writer: database,
      pending: () => earlier.pending(),
      legacy: legacyFiles(disk),
    });
    if (readOnly === true) database.exec("PRAGMA query_only = ON");
    return { database, store, earlier };
  } catch (error) {
    reader?.close();
    database.close();
    throw error;
  }
}

/**
 * The existing file through a read-only connection; an empty database in memory where there is
 * none yet.
 */
async function openUnchanged(disk: Disk): Promise<Opened> {
  const database = await openLying(disk);
  try {
    const earlier = earlierCopy(disk, database);
    await earlier.open(false);
    const legacy = legacyFiles(disk);
    const store = sqliteEvidence(database, { pending: () => earlier.pending(), legacy });
    return { database, store, earlier };
  } catch (error) {
    // An older version lacks tables that statements name; opening with changes makes them.
    const isOlder = primaryCode(error) === 1 && !isThisVersion(database);
    database.close();
    throw isOlder ? new CodedError("migration_pending", { cause: error }) : error;
  }
}

async function openLying(disk: Disk): Promise<SqliteDatabase> {
  if (((await disk.stat(place))?.size ?? 0) > 0) {
    const database = openSqliteReadOnly(await disk.own(place), !(await hasLog(disk)));
    if (hasEvidenceTables(database)) return database;
    database.close();
  }
  const empty = openSqlite(":memory:");
  makeEvidenceTables(empty);
  empty.exec("PRAGMA query_only = ON");
  return empty;
}

/** True where the file has a log that is not checkpointed yet. */
async function hasLog(disk: Disk): Promise<boolean> {
  return ((await disk.stat([`${place[0]}-wal`]))?.size ?? 0) > 0;
}

/**
 * SQLITE_READONLY and SQLITE_CANTOPEN: the engine cannot create its shared memory beside the file.
 */
const readOnlyCodes: ReadonlySet<number | undefined> = new Set([8, 14]);

function openDatabase(path: string, log: boolean): SqliteDatabase {
  try {
    return openSqlite(path);
  } catch (error) {
    if (log || !readOnlyCodes.has(primaryCode(error))) throw error;
    return openSqliteReadOnly(path, true);
  }
}

type Request = <T>(work: (file: Opened) => Promise<T>) => Promise<T>;

async function checked(alive: () => Promise<CheckResult>, request: Request): Promise<CheckResult> {
  const folder = await alive();
  if (!folder.ok) return folder;
  try {
    return await request(async ({ store, earlier }) => {
      const result = await store.check();
      return result.ok && earlier.pending()
        ? { ...result, diagnostics: ["migration_pending"] }
        : result;
    });
  } catch (error) {
    if (!CodedError.is(error)) throw error;
    const { code, field } = error;
    const { elapsedMs } = folder;
    return { ok: false, code, ...(field === undefined ? {} : { reason: field }), elapsedMs };
  }
}

/** Tables of an older version are read as they are where the disk cannot be written to. */
function prepareTables(database: SqliteDatabase): void {
  try {
    makeEvidenceTables(database);
  } catch (error) {
    if (!readOnlyCodes.has(primaryCode(error)) || !hasEvidenceTables(database)) throw error;
  }
}

/** The port; each call opens the file if it is not open. */
function lateStore(
  request: Request,
  own: Pick<EvidenceStore, "name" | "ledger" | "readAll" | "check" | "close">,
): EvidenceStore {
  return {
    ...own,
    capabilities: capabilitiesOf("filesystem"),
    sources: ["trace", "conversation", "tool_log"],
    append: (batch) => request(({ store }) => store.append(batch)),
    appendPrepared: (batch) => request(({ store }) => store.appendPrepared(batch)),
    readBack: (batchId, at) => request(({ store }) => store.readBack(batchId, at)),
    operatorRows: {
      list: (...requested) => request(({ store }) => store.operatorRows.list(...requested)),
      write: (row) => request(({ store }) => store.operatorRows.write(row)),
      remove: (of) => request(({ store }) => store.operatorRows.remove(of)),
    },
    standing: (roots) => request(({ store }) => store.standing(roots)),
    page: (...requested) => request(({ store }) => store.page(...requested)),
    find: (...requested) => request(({ store }) => store.find(...requested)),
    bundles: (...requested) => request(({ store }) => store.bundles(...requested)),
    root: (...requested) => request(({ store }) => store.root(...requested)),
    roots: (...requested) => request(({ store }) => store.roots(...requested)),
    shortRoots: (...requested) => request(({ store }) => store.shortRoots(...requested)),
    quietRoots: (...requested) => request(({ store }) => store.quietRoots(...requested)),
    held: () => request(({ store }) => store.held()),
    [Symbol.asyncDispose]: own.close,
  };
}

/** The ledger of the file, with errors as codes. */
function codedLedger(request: Request): EvidenceStore["ledger"] {
  const late = lateLedger("store", () => request(async ({ store }) => store.ledger));
  const coded = Object.entries(late).map(([name, value]) => [
    name,
    typeof value === "function"
      ? (...requested: unknown[]) =>
          codedSqlite(() => (value as (...given: unknown[]) => Promise<unknown>)(...requested))
      : value,
  ]);
  return Object.fromEntries(coded) as EvidenceStore["ledger"];
}
