/** @module ClickhouseOptions: how a ClickHouse is reached and how it is opened. */

/** chDB inside this process; one process per directory. */
export interface EmbeddedConnection {
  readonly dataDir: string;
}

/** A server, or a cluster behind one address. */
export interface ServerConnection {
  readonly url: string;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  /** Name of the cluster: tables are then made ON CLUSTER with replicated engines. */
  readonly cluster?: string;
  /** Milliseconds for one request. */
  readonly timeoutMs?: number;
}

export type ClickhouseConnection = EmbeddedConnection | ServerConnection;
