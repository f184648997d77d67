/**
 * @module StatementPostgres: a client that passes every statement on and lets a test see it, change
 * it, or look at the answer before the store does.
 */
import type { EmbeddedPostgres, PostgresPool, PostgresSession } from "@turnproof/store";

/** What a test does with statements. */
export interface Watch {
  /** The statement to send instead. */
  change?(sql: string): string;
  /** Called with the statement as it was sent, its values, and the rows that came back. */
  see?(sql: string, values: readonly unknown[], rows: readonly unknown[]): void;
}

function watchedSession(session: PostgresSession, watch: Watch): PostgresSession["query"] {
  return async (text, values) => {
    const sql = watch.change?.(text) ?? text;
    const answer = await session.query(sql, values);
    watch.see?.(sql, values ?? [], answer.rows);
    return answer;
  };
}

/** A pool of the `pg` package under watch. */
export function watchedPool(pool: PostgresPool, watch: Watch): PostgresPool {
  return {
    query: watchedSession(pool, watch),
    async connect() {
      const client = await pool.connect();
      return {
        query: watchedSession(client, watch),
        release: (destroy) => client.release(destroy),
        on: (event, listener) => client.on(event, listener),
        off: (event, listener) => client.off(event, listener),
      };
    },
  };
}

/** A PGlite under watch. */
export function watchedEmbedded(engine: EmbeddedPostgres, watch: Watch): EmbeddedPostgres {
  return {
    query: watchedSession(engine, watch),
    exec: (text) => engine.exec(text),
    transaction: (work) =>
      engine.transaction((inner) =>
        work({ query: watchedSession(inner, watch), exec: (text) => inner.exec(text) }),
      ),
  };
}

/** The tenant's condition wherever a statement has it. */
const tenantCondition =
  /md5\(coalesce\('u' \|\| (?:\w+\.)?user_id, 'a'\)\) = md5\(coalesce\('u' \|\| (\$\d+)::text, 'a'\)\)\s+AND user_id IS NOT DISTINCT FROM \$\d+::text/g;

/** The statement without its tenant filter; the value is still named, so that it may be sent. */
export function withoutTenant(sql: string): string {
  return sql.replace(tenantCondition, (_all, at: string) => `(${at}::text IS NULL OR true)`);
}

/** True when the statement holds the tenant's condition. */
export function hasTenant(sql: string): boolean {
  return withoutTenant(sql) !== sql;
}
