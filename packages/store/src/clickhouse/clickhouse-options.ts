/** @module ClickhouseOptions: connection and options of a ClickHouse. */

import { CodedError } from "@turnproof/semconv";

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
  /**
   * Name of the server's cluster: rows are then distributed over its shards, and replicated within
   * each.
   */
  readonly cluster?: string;
  /** Replicas of a shard that must store an insert; default `auto`, a majority. */
  readonly quorum?: "auto" | number;
  /** Milliseconds for one request. */
  readonly timeoutMs?: number;
}

export type ClickhouseConnection = EmbeddedConnection | ServerConnection;

/** A cluster's name, validated as a word that needs no escaping; throws `config_invalid`. */
export function clusterName(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,62}$/.test(name)) throw new CodedError("config_invalid");
  return name;
}
