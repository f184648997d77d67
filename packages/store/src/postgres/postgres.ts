/**
 * @module Postgres: evidence and memory in PostgreSQL: a server by URL, PGlite embedded by path,
 * or a client that the caller opened.
 */
import { CodedError, isoNow } from "@turnproof/semconv";
import type { ScopedKind } from "@turnproof/semconv";

import { offerErasure } from "../erasure.ts";
import { erasureOf } from "../evidence-erasure.ts";
import type { CheckResult, EvidenceStore } from "../evidence-store.ts";
import { retainEvidence } from "../evidence-retention.ts";
import type { LegacyBundles } from "../legacy/bundles.ts";
import { retainMemory } from "../memory/memory-retention.ts";
import { checkedWith, requireCopied } from "../old-evidence.ts";
import type { OldEvents } from "../old-evidence.ts";
import type { AdministeredMemory, Provider } from "../provider.ts";
import { operatorRowsOf } from "../operator-rows.ts";
import { capabilitiesOf } from "../providers.ts";
import { shortRootsOf } from "../short-roots.ts";
import { checkBy } from "../store-check.ts";
import { openDatabase } from "./database.ts";
import type { Database, Session } from "./database.ts";
import { erasureRows } from "./erasure-rows.ts";
import { postgresState } from "./collector-state.ts";
import { postgresOperatorRows } from "./operator-rows.ts";
import { bundleReads } from "./bundle-reads.ts";
import { appendBundles, readBackBundles } from "./bundle-writer.ts";
import { legacyTable } from "../legacy/bundles-postgres.ts";
import { migrate, readScript } from "./migration.ts";
import { oldEvents } from "./old-events.ts";
import { postgresAdmin } from "./postgres-admin.ts";
import { postgresMemory } from "./postgres-memory.ts";
import type { PostgresMemoryParts } from "./postgres-memory.ts";
import type { PostgresOptions } from "./postgres-options.ts";
import { postgresShared } from "./postgres-shared.ts";
import { retentionRows } from "./retention-rows.ts";
import { heldIn, standingOf } from "./root-counts.ts";
import { readAll } from "./whole-read.ts";
import { requirePolicies } from "./row-security.ts";
import { postgresTurns } from "./turn-ledger.ts";
import { makeVectorIndex, openVectors } from "./vector-index.ts";
import { quietRoots } from "./quiet-roots.ts";

/** The provider, with operations that only the owner of its schema may run. */
export interface PostgresProvider extends Provider {
  /**
   * Creates an approximate index for embeddings of this length. False where pgvector is missing.
   * @throws CodedError record_invalid
   */
  makeVectorIndex(kind: ScopedKind, dimensions: number): Promise<boolean>;
  /** Copies events of an older version; the originals remain until they are dropped. */
  readonly copyOld: OldEvents["copy"];
  /** Compares those events with the copy. */
  readonly checkOld: OldEvents["check"];
  /**
   * Compares, and drops those events.
   *
   * @throws CodedError `migration_pending`, `migration_differs`
   */
  readonly dropOld: OldEvents["drop"];
  /** Installs the policies of row-level security; run it as the owner, once. */
  installRowSecurity(): Promise<void>;
}

/** Rows of a tenant up to which a search compares every row (faults T6). */
const exactRowsMax = 10_000;

/**
 * Opens the provider and migrates its schema to this version. Throws `store_version_newer` for
 * data of a newer build, `not_configured` when a migration is missing and not allowed,
 * `config_invalid` when row security would not apply, and retryable codes when the server does not
 * answer.
 */
export async function postgres(options: PostgresOptions): Promise<PostgresProvider> {
  const database = await openDatabase(options);
  try {
    return await provider(database, options);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function provider(database: Database, options: PostgresOptions): Promise<PostgresProvider> {
  const mayChange = options.migrate ?? true;
  await migrate(database, mayChange);
  const vectors = await openVectors(database, mayChange);
  const rowSecurity = options.rowSecurity === true;
  if (rowSecurity) await requirePolicies(database);
  const admin = administrators(database, options);
  const close = async (): Promise<void> => {
    await admin.close();
    await database.close();
  };
  const parts: PostgresMemoryParts = {
    database,
    clock: options.clock ?? isoNow,
    rowSecurity,
    vectors,
    exactRowsMax: options.exactRowsMax ?? exactRowsMax,
  };
  const name = database.embedded ? "postgres embedded" : "postgres server";
  const old = await oldEvents(database, mayChange);
  const memory = memoryOf(name, parts, admin.session, close);
  const provided: PostgresProvider = {
    name,
    evidence: evidenceOf({ name, database, old, legacy: await legacyTable(database), close }),
    memory,
    retention: {
      async evidence(requested) {
        await requireCopied(old);
        return retainEvidence(retentionRows(database), requested);
      },
      memory: (requested) => retainMemory(memory.admin, requested),
    },
    copyOld: (requested) => old.copy(requested),
    checkOld: (requested) => old.check(requested),
    dropOld: () => old.drop(),
    makeVectorIndex: (kind, dimensions) => makeVectorIndex(database, vectors, kind, dimensions),
    async installRowSecurity() {
      const script = await readScript("row_security");
      await database.transaction((session) => session.script(script));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return provided;
}

interface PostgresParts {
  readonly name: string;
  readonly database: Database;
  readonly old: OldEvents;
  readonly legacy: LegacyBundles | undefined;
  readonly close: () => Promise<void>;
}

/** Tables without which no evidence can be read. */
const evidenceTables = ["evidence_roots", "evidence_bundles", "turn_ledger"] as const;

function evidenceOf({ name, database, old, legacy, close }: PostgresParts): EvidenceStore {
  const store: EvidenceStore = {
    name,
    capabilities: capabilitiesOf("postgres"),
    sources: ["trace", "conversation", "tool_log"],
    ledger: postgresTurns(database),
    operatorRows: operatorRowsOf(postgresOperatorRows(database)),
    state: postgresState(database),
    append: (batch) => appendBundles(database, batch),
    appendPrepared: (batch) => appendBundles(database, batch),
    readBack: (batchId) => readBackBundles(database, batchId, old.pending()),
    ...bundleReads(database, { pending: () => old.pending(), legacy }),
    shortRoots: (...requested) => shortRootsOf(store, ...requested),
    quietRoots: (since, before, limit) => quietRoots(database, since, before, limit),
    standing: (roots) => standingOf(database, roots),
    held: (signal) => heldIn(database, signal),
    readAll: (signal) => readAll(database, signal),
    check: () => checkedWith(old, () => check(database, ...evidenceTables)),
    close,
    [Symbol.asyncDispose]: close,
  };
  return offerErasure(store, async (requested) => {
    await requireCopied(old);
    return erasureOf(erasureRows({ database, old, legacy }))(requested);
  });
}

function memoryOf(
  name: string,
  parts: PostgresMemoryParts,
  admin: () => Promise<Database>,
  close: () => Promise<void>,
): AdministeredMemory {
  return {
    name,
    ...postgresMemory(parts),
    shared: postgresShared(parts.database, parts.clock),
    admin: postgresAdmin(admin, parts.clock, parts.vectors !== undefined),
    check: () => check(parts.database, "entity_memory"),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Connection of administration: the same database, or another role where policies restrict this
 * one.
 */
function administrators(
  database: Database,
  options: PostgresOptions,
): { readonly session: () => Promise<Database>; readonly close: () => Promise<void> } {
  if (options.rowSecurity !== true) return { session: async () => database, close: async () => {} };
  let opened: Promise<Database> | undefined;
  return {
    async session() {
      if (options.adminUrl === undefined) {
        throw new CodedError("not_configured", { field: "adminUrl" });
      }
      opened ??= openDatabase({ url: options.adminUrl, poolSize: 2 });
      return opened;
    },
    close: async () => (await opened)?.close(),
  };
}

function check(session: Session, ...tables: readonly string[]): Promise<CheckResult> {
  const each = tables.map((table) => `(SELECT 1 FROM ${table} LIMIT 1) AS ${table}`);
  return checkBy(() => session.query(`SELECT ${each.join(", ")}`));
}
