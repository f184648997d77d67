/**
 * @module EvidenceReader: the reads of a request path over the collections. Compatibility reads
 * meet rows, native ones the roots that the index leads to, while it is provisioned and complete.
 */
import type { Collection, Document } from "mongodb";

import { termsOfRead } from "../index-terms.ts";
import type { LegacyBundles } from "../legacy-bundles.ts";
import { rootRounds } from "../root-rounds.ts";
import { rowFeed } from "../row-feed.ts";
import { scopedReads } from "../scoped-reads.ts";
import type { Reads } from "../scoped-reads.ts";
import { conditionsOf } from "../search-condition.ts";
import { settle } from "../settle.ts";
import type { Round } from "../walk.ts";
import { evidenceRows, loadRoots } from "./evidence-feed.ts";
import type { RootIndex } from "./root-index.ts";
import { coded, storeError } from "./store-error.ts";

/**
 * The reads over a collection of events, and over legacy bundles where there are some; `index`
 * leads native ones.
 */
export function evidenceReader(
  events: Collection<Document>,
  index?: RootIndex,
  legacy?: LegacyBundles,
): Reads {
  return scopedReads({
    rounds: (question, options, cut) =>
      codedRounds(async () => {
        const terms = index === undefined ? [] : termsOfRead(question);
        // Without a word to look for, every root is a candidate: the rows lead as well. And the rows
        // have an index of every id, their own among them, which would not fit into a root's entry.
        const byRows = terms.length === 0 || question.id !== undefined;
        if (index === undefined || byRows || !(await index.isComplete())) {
          return rowFeed(evidenceRows(events, conditionsOf(question)), options, cut);
        }
        const load: Parameters<typeof rootRounds>[1] = async (roots) => {
          const loaded = await loadRoots(
            events,
            roots.map(({ root }) => root),
          );
          return { events: settle(loaded.rows), cut: loaded.cut };
        };
        return rootRounds(index.candidates(terms), load, options, cut);
      }),
    rows: (roots, cut) =>
      coded(async () => {
        const loaded = await loadRoots(events, roots);
        if (loaded.cut) cut();
        return loaded.rows;
      }),
    ...(legacy === undefined ? {} : { legacy }),
  });
}

async function* codedRounds(open: () => Promise<AsyncIterable<Round>>): AsyncGenerator<Round> {
  try {
    yield* await open();
  } catch (error) {
    throw storeError(error);
  }
}
