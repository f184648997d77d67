/** @module BundleReads: finds the roots of a read by their words, newest first, and reads them whole. */
import type { SqliteDatabase } from "./sqlite-database.ts";

import { CodedError } from "@turnproof/semconv";

import { decodeBody } from "../bundle/decode.ts";
import { joinSegments } from "../bundle/encode.ts";
import { hashesOfId, rootWords, rowWords } from "../bundle/words.ts";
import { rootRounds } from "../root-rounds.ts";
import type { KnownRoot } from "../root-rounds.ts";
import { scopedReads } from "../scoped-reads.ts";
import type { Reads } from "../scoped-reads.ts";
import type { Question } from "../search-condition.ts";
import { settle } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { SqlValue } from "./sqlite-database.ts";

/** The reads over a database that has the tables; `open` throws once the store is closed. */
export function bundleReads(database: SqliteDatabase, open: () => void): Reads {
  const ofRoot = database.prepare(
    `SELECT segments FROM bundles WHERE root = (SELECT id FROM roots WHERE root_trace_id = ?)
     ORDER BY id`,
  );
  const rowsOf = (roots: readonly string[], cut: () => void): readonly StoredEvent[] =>
    roots.flatMap((root) => {
      const rows = ofRoot.all(root) as { readonly segments: string }[];
      if (rows.length === 0) return [];
      try {
        return decodeBody(root, joinSegments(rows.map(({ segments }) => segments)));
      } catch (error) {
        if (!CodedError.is(error) || error.code !== "bundle_invalid") throw error;
        cut();
        return [];
      }
    });
  return scopedReads({
    async *rounds(question, options, cut) {
      open();
      const roots = candidates(database, question);
      yield* rootRounds(
        roots,
        async (some) => {
          open();
          let damaged = false;
          const rows = rowsOf(
            some.map(({ root }) => root),
            () => (damaged = true),
          );
          return { events: settle(rows), cut: damaged };
        },
        options,
        cut,
      );
    },
    async rows(roots, cut) {
      open();
      return rowsOf(roots, cut);
    },
  });
}

/** Roots that may hold part of the answer, newest last receipt first. */
function candidates(database: SqliteDatabase, question: Question): readonly KnownRoot[] {
  const { scope, query, id, evidenceOnly } = question;
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const oneOf = (hashes: readonly number[]): void => {
    const marks = hashes.map(() => "?").join(", ");
    conditions.push(`id IN (SELECT root FROM bundle_words WHERE hash IN (${marks}))`);
    values.push(...hashes);
  };
  if (query.root_trace_id !== undefined) {
    conditions.push("root_trace_id = ?");
    values.push(query.root_trace_id);
  }
  if (evidenceOnly === true) conditions.push("evidence = 1");
  for (const hash of [...rootWords(scope, query), ...rowWords(query)]) oneOf([hash]);
  if (id !== undefined) oneOf(hashesOfId(id));
  const where = conditions.length === 0 ? "1" : conditions.join(" AND ");
  return database
    .prepare(
      `SELECT root_trace_id AS root, first, last, rows FROM roots WHERE ${where}
       ORDER BY last DESC, id DESC`,
    )
    .all(...values) as unknown as readonly KnownRoot[];
}
