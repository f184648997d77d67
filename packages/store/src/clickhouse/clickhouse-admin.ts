/**
 * @module ClickhouseAdmin: administrative operations on evidence in ClickHouse: retention, and the
 * events of an older version.
 */
import { CodedError } from "@turnproof/semconv";

import type { EvidenceAdmin } from "../evidence-admin.ts";
import type { ClickhouseConnection } from "./clickhouse-options.ts";
import { openEngine } from "./connection.ts";
import { makeTables, requireKnown } from "./migration.ts";
import { requireParity } from "../old-parity.ts";
import { checkOldEvents, copyOldEvents } from "./old-events.ts";
import { dropOldTables, oldEvents } from "./old-tables.ts";
import { retainBundles } from "./retention-rows.ts";

/**
 * Opens administrative access; codes are those of the provider. With `mayChange` false no table is
 * created or renamed, so only a dry run of a copy is useful.
 */
export async function clickhouseAdmin(options: {
  readonly connection: ClickhouseConnection;
  readonly mayChange?: boolean;
}): Promise<EvidenceAdmin> {
  const { connection, mayChange = true } = options;
  const engine = await openEngine(connection, { mayChange });
  const cluster = "cluster" in connection ? connection.cluster : undefined;
  const tables = { engine, cluster };
  const close = (): Promise<void> => engine.close();
  try {
    await (mayChange ? makeTables(tables) : requireKnown(engine));
  } catch (error) {
    await close();
    throw error;
  }
  const requireCopied = async (): Promise<void> => {
    if ((await oldEvents(engine))?.copied === false) throw new CodedError("migration_pending");
  };
  return {
    async evidence(requested) {
      await requireCopied();
      return retainBundles(tables, requested);
    },
    copyOld: (requested = {}) => copyOldEvents(tables, requested),
    checkOld: (requested) => checkOldEvents(tables, requested),
    async dropOld() {
      await requireCopied();
      requireParity(await checkOldEvents(tables));
      await dropOldTables(tables);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
