/** @module MongodbOptions: how the provider is opened. */
import type { MongoClient } from "mongodb";

/** A server by URI, or a client that the caller opens and closes. */
export interface MongodbOptions {
  readonly url?: string;
  readonly client?: MongoClient;
  /** Default: the database of the URI, else `turnproof`. */
  readonly database?: string;
  /**
   * False: never creates indexes or changes search indexes (a read-only identity). Default true.
   */
  readonly manageIndexes?: boolean;
  /** ISO 8601 UTC now. */
  readonly clock?: () => string;
  /** Rows of a tenant up to which a search compares every row. Default 10,000. */
  readonly exactRowsMax?: number;
  /** Timeout of finding a server, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
}
