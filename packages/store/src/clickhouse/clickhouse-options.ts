/** @module ClickhouseOptions: how a ClickHouse is reached and how it is opened. */

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
   * Name of the cluster that the server belongs to: rows are then spread over its shards, and
   * replicated within each.
   */
  readonly cluster?: string;
  /** Replicas of a shard that must hold an insert; default `auto`, the greater half of them. */
  readonly quorum?: "auto" | number;
  /** Milliseconds for one request. */
  readonly timeoutMs?: number;
}

export type ClickhouseConnection = EmbeddedConnection | ServerConnection;

/** A cluster's name, checked to be a word that needs no escape; throws `config_invalid`. */
export function clusterName(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,62}$/.test(name)) throw new CodedError("config_invalid");
  return name;
}
