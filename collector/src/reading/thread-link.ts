/**
 * @module ThreadLink: what a thread gets from the thread that started it. It opens what it can;
 * the embedded engine and the memory are called over the port.
 */
import { clickhouseOver } from "@turnproof/store";
import type { EvidenceStore, LentEngine, MemoryStore } from "@turnproof/store";

import type { AuditState } from "../access/audit/audit-state.ts";
import type { Damage } from "../backend/damage-tracker.ts";
import { openStore, serverName, serverOf } from "../backend/backend.ts";
import { openReconnecting } from "../backend/reconnecting.ts";
import { reconnectingEvidence } from "../backend/reconnecting-store.ts";
import { operatorStore } from "../backend/operator-store.ts";
import { watchedStore } from "../backend/watched-store.ts";
import { futureLastEvents } from "../backend/future-last-events.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../log.ts";
import { withMemoryRows } from "../memory/memory-events.ts";
import { operatorMemory } from "../memory/operator-memory.ts";
import type { IngestMinute } from "../receive/history/minute.ts";
import type { JournalLosses } from "../receive/otlp/journal-losses.ts";
import type { IngestReport } from "../receive/ingest.ts";
import type { Calls } from "./calls.ts";

/** Start data of a thread. */
export interface ThreadStart {
  readonly config: Config;
  readonly role: "reader" | "judge";
  /** True when the engine is shared; else the thread opens the store itself. */
  readonly lent: boolean;
  readonly memoryName: string | null;
  /** True when the host mounts agents. */
  readonly agents: boolean;
}

/** Damage that a thread passes to the main one. */
export type FoundDamage = { readonly store: string } | { readonly roots: readonly string[] };

/** Last state of the receiving side and the audit log. */
export interface Reported {
  readonly report: IngestReport;
  /** Minutes of the receiving side that are not on the disk. */
  readonly minutes: readonly IngestMinute[];
  readonly losses: JournalLosses;
  /** As of the receiving side. */
  readonly gaps: readonly string[] | null;
  readonly audit: AuditState;
  /** A time of receipt after everything received so far. */
  readonly mark: string;
}

/** The stores of a thread, read-only where the collector is. */
export interface ThreadStores {
  readonly store: EvidenceStore;
  readonly memory: MemoryStore | undefined;
}

/** Opens them. */
export async function openThreadStores(
  start: ThreadStart,
  calls: Calls,
  damage: Damage,
): Promise<ThreadStores> {
  const { config, lent, memoryName } = start;
  const given = memoryName === null ? undefined : memoryOver(calls, memoryName);
  const memory = operatorMemory(given, config.readOnly);
  const opened = lent ? await clickhouseOver(engineOver(calls)) : await ownStore(start);
  const store = watchedStore(opened, damage);
  const ordered = futureLastEvents(operatorStore(store, config.readOnly), Date.now);
  return { store: withMemoryRows(ordered, memory), memory };
}

/** The desk of the main thread; `reported` returns the last state received. */
export function damageOver(calls: Calls, reported: () => Reported): Damage {
  // A thread whose parent is gone has nowhere to note it.
  const note = (found: FoundDamage): void => void calls.request("damaged", found).catch(() => {});
  return {
    noteStore: (store) => note({ store }),
    noteRoots: (roots) => note({ roots }),
    report: () => reported().report.damaged,
    noteGone: () => {},
    compared: () => false,
    isHidden: () => false,
    listen: () => {},
    listenStore: () => {},
  };
}

/** How long an answering thread waits for its server at its start. */
const firstAttemptMs = 3_000;

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** The same file or server as the main thread's, which reports an unreachable server. */
async function ownStore({ config, role }: ThreadStart): Promise<EvidenceStore> {
  const host = serverOf(config);
  if (host === undefined) return openStore(config, { readOnly: role === "reader" });
  const { backend } = config;
  const open = (): Promise<EvidenceStore> => openStore(config);
  // A thread starts with its first request, which waits for the first attempt; the judge tries
  // again.
  const waitMs = role === "reader" ? firstAttemptMs : 0;
  const late = await openReconnecting({ open, part: "store", backend, host, log: silent, waitMs });
  return reconnectingEvidence(backend, serverName(backend), late);
}

/** The log of the thread that started this one. */
export function logOver(calls: Calls): Log {
  const writer =
    (level: "info" | "warn" | "error"): Log["info"] =>
    (event, fields) =>
      // A thread whose parent is gone has nowhere to log.
      void calls.request("log", { level, event, fields }).catch(() => {});
  return { info: writer("info"), warn: writer("warn"), error: writer("error") };
}

function engineOver(calls: Calls): LentEngine {
  return {
    select: (sql, parameters, signal) => calls.request("select", { sql, parameters }, { signal }),
    command: (sql) => calls.request("command", sql),
    insert: (table, block, token) =>
      // The block is encoded for this insert, in memory of its own.
      calls.request(
        "insert",
        { table, block, token },
        { transfer: [block.bytes.buffer as ArrayBuffer] },
      ),
    pending: () => calls.request("pending", null),
    knownRoots: (roots) => calls.request("knownRoots", roots),
  };
}

function memoryOver(calls: Calls, name: string): MemoryStore {
  const over =
    (method: string) =>
    <T>(...args: readonly unknown[]): Promise<T> =>
      calls.request("memory", { method, args });
  const close = async (): Promise<void> => {};
  return {
    name,
    put: over("put"),
    get: over("get"),
    list: over("list"),
    count: over("count"),
    update: over("update"),
    delete: over("delete"),
    vectorSearch: over("vectorSearch"),
    textSearch: over("textSearch"),
    shared: {
      put: over("shared.put"),
      get: over("shared.get"),
      list: over("shared.list"),
      update: over("shared.update"),
      delete: over("shared.delete"),
    },
    check: over("check"),
    close,
    [Symbol.asyncDispose]: close,
  };
}
