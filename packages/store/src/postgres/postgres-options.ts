/** @module PostgresOptions: connection and options of a PostgreSQL. */

/**
 * Methods that the provider uses of one connection; `pg` clients and PGlite transactions have
 * them.
 */
export interface PostgresSession {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{
    readonly rows: readonly unknown[];
    readonly rowCount?: number | null;
    readonly affectedRows?: number;
  }>;
}

/** A checked-out connection of a pool. */
export interface PostgresPoolClient extends PostgresSession {
  release(destroy?: boolean): void;
  on(event: "error", listener: () => void): unknown;
  off(event: "error", listener: () => void): unknown;
}

/** A pool of the `pg` package; the caller closes it. */
export interface PostgresPool extends PostgresSession {
  connect(): Promise<PostgresPoolClient>;
}

/** An open PGlite; the caller closes it. */
export interface EmbeddedPostgres extends PostgresSession {
  exec(text: string): Promise<unknown>;
  transaction<T>(
    work: (session: PostgresSession & { exec(text: string): Promise<unknown> }) => Promise<T>,
  ): Promise<T>;
}

/** The database: a server, a directory (embedded; `memory://` for none), or a client. */
export type PostgresPlace =
  | {
      readonly url: string;
      /** Connections of the pool; default 10. */
      readonly poolSize?: number;
      /** Milliseconds to wait for a connection; default 10,000. */
      readonly connectTimeoutMs?: number;
      /** Milliseconds for one statement; default 30,000. */
      readonly statementTimeoutMs?: number;
    }
  | { readonly path: string }
  | { readonly client: PostgresPool | EmbeddedPostgres };

/** How to open the provider. */
export type PostgresOptions = PostgresPlace & {
  /**
   * False: this role may not change the schema; `not_configured` when a migration is missing.
   * Default true.
   */
  readonly migrate?: boolean;
  /**
   * Every statement of scoped memory runs in a transaction that sets its tenant, under the
   * policies of `row_security.sql`. Opening fails with `config_invalid` where they would not
   * apply.
   */
  readonly rowSecurity?: boolean;
  /** Connection of `memory.admin` under row security: a role with BYPASSRLS. */
  readonly adminUrl?: string;
  /** Time as ISO 8601 UTC; default: the process's clock. */
  readonly clock?: () => string;
  /** Rows of a tenant up to which a search compares every row; default 10,000. */
  readonly exactRowsMax?: number;
};
