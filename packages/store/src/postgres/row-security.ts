/**
 * @module RowSecurity: the optional second layer under the filters (faults T3 to T5). A statement
 * runs in a transaction that sets its tenant; without that the policies return nothing. Settings
 * are local to the transaction, so a pool may be shared.
 */
import { CodedError, scopedKinds } from "@turnproof/semconv";

import type { MemoryFilter } from "../memory-store.ts";
import type { Database, Session } from "./database.ts";
import { bindings, tableOf } from "./sql-text.ts";

/** Runs statements for one filter. */
export type ScopedWork = <T>(
  filter: MemoryFilter,
  work: (session: Session) => Promise<T>,
) => Promise<T>;

/** Statements without the second layer. */
export function unguarded(database: Database): ScopedWork {
  return (_filter, work) => work(database);
}

/** Statements under the policies: each unit of work sets its tenant first. */
export function guarded(database: Database): ScopedWork {
  return (filter, work) =>
    database.transaction(async (session) => {
      const bind = bindings();
      const state = bind.plain(filter.tenant === null ? "anonymous" : "user");
      const tenant = bind.text(filter.tenant ?? "");
      await session.query(
        `SELECT set_config('turnproof_scope.state', ${state}, true),
    set_config('turnproof_scope.tenant', ${tenant}, true)`,
        bind.parameters,
      );
      return work(session);
    });
}

/**
 * Refuses a role that the policies would not restrict, and tables without them.
 * @throws CodedError config_invalid
 */
export async function requirePolicies(database: Database): Promise<void> {
  const role = await database.query(
    "SELECT (rolsuper OR rolbypassrls)::text AS free FROM pg_roles WHERE rolname = current_user",
  );
  const bind = bindings();
  const tables = scopedKinds.map(tableOf);
  const forced = await database.query(
    `SELECT count(*)::text AS n FROM pg_class
WHERE oid = ANY(SELECT to_regclass(name) FROM unnest(${bind.texts(tables)}) AS name)
    AND relrowsecurity AND relforcerowsecurity
    AND EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = pg_class.oid)`,
    bind.parameters,
  );
  if (role.rows[0]?.["free"] === "true" || Number(forced.rows[0]?.["n"]) !== tables.length) {
    throw new CodedError("config_invalid", { field: "rowSecurity" });
  }
}
