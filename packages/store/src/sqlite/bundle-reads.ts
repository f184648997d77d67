/** @module BundleReads: request reads over bundles, and how complete roots are read. */
import type { SqliteDatabase } from "./sqlite-database.ts";

import { crc32 } from "node:zlib";

import { CodedError } from "@turnproof/semconv";

import { decodeBody } from "../bundle/decode.ts";
import { joinSegments } from "../bundle/encode.ts";
import type { NoteCut } from "../bundle/root-rows.ts";
import type { LegacyBundles } from "../legacy/bundles.ts";
import { firstRound, rootRounds } from "../root-rounds.ts";
import { scopedReads } from "../scoped-reads.ts";
import type { Reads } from "../scoped-reads.ts";
import { settle } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import { candidates } from "./bundle-candidates.ts";

/**
 * All rows of a root as recorded, or about its first `rowsMax`: bundles up to the one that reaches
 * it, and the next one where there is one. Undefined where some of these are damaged.
 */
export type RowsOfRoot = (root: string, rowsMax?: number) => readonly StoredEvent[] | undefined;

/** Whether the text of a bundle is that which was written. */
export function isWhole(segments: string, crc: number): boolean {
  return segments !== "" && crc32(segments) === crc;
}

/** Roots are read completely: the tenant of a root with a damaged row is unknown. */
export function rowsOfRoot(database: SqliteDatabase): RowsOfRoot {
  const ofRoot = database.prepare(
    `SELECT segments, crc FROM bundles WHERE root = (SELECT id FROM roots WHERE root_trace_id = ?)
     ORDER BY id`,
  );
  const firstOfRoot = database.prepare(
    `SELECT segments, crc FROM (
       SELECT id, segments, crc, events, sum(events) OVER (ORDER BY id) AS upto FROM bundles
       WHERE root = (SELECT id FROM roots WHERE root_trace_id = ?))
     WHERE upto - events <= ? ORDER BY id`,
  );
  return (root, rowsMax = Infinity) => {
    const found = rowsMax === Infinity ? ofRoot.all(root) : firstOfRoot.all(root, rowsMax);
    const rows = found as { readonly segments: string; readonly crc: number }[];
    if (rows.length === 0) return [];
    if (rows.some(({ segments, crc }) => !isWhole(segments, crc))) return undefined;
    try {
      return decodeBody(root, joinSegments(rows.map(({ segments }) => segments)));
    } catch (error) {
      if (!CodedError.is(error) || error.code !== "bundle_invalid") throw error;
      return undefined;
    }
  };
}

/** Dependencies of reads besides the database. */
export interface SqliteReadParts {
  /** Throws once the store is closed. */
  readonly open: () => void;
  /** True while evidence of an earlier version is not copied: every read is bounded. */
  readonly pending?: () => boolean;
  readonly legacy?: LegacyBundles | undefined;
}

/** The reads over a database that has the tables. */
export function bundleReads(database: SqliteDatabase, parts: SqliteReadParts): Reads {
  const { open, pending = () => false, legacy } = parts;
  const ofRoot = rowsOfRoot(database);
  const rowsOf = (
    roots: readonly string[],
    cut: NoteCut,
    rowsMax = Infinity,
  ): readonly StoredEvent[] =>
    roots.flatMap((root) => {
      const rows = ofRoot(root, rowsMax);
      if (rows === undefined) cut(root);
      else if (rows.length > rowsMax) cut();
      return rows?.slice(0, rowsMax) ?? [];
    });
  return scopedReads({
    async *rounds(query, options, cut) {
      open();
      if (pending()) cut();
      yield* rootRounds(
        candidates(database, query),
        async (some) => {
          open();
          const roots = some.map(({ root }) => root);
          return settle(rowsOf(roots, cut));
        },
        { ...options, ...firstRound(query, options.limit) },
      );
    },
    async rows(roots, cut, rowsMax) {
      open();
      if (pending()) cut();
      return rowsOf(roots, cut, rowsMax);
    },
    ...(legacy === undefined ? {} : { legacy }),
  });
}
