/** @module Cursors of the test server: an answer holds a batch, `getMore` brings the rest. */
import { calculateObjectSize, Long } from "bson";

import { CommandError } from "./mongo-error.ts";
import type { Doc } from "./mongo-wire.ts";

/** Documents of a first batch when the command does not set it. */
const firstBatchSize = 101;
/** Bytes of an answer at most. */
const replyBytesMax = 16_777_216;

/** Open cursors. */
export class Cursors {
  readonly #open = new Map<string, { readonly namespace: string; rest: readonly Doc[] }>();
  #last = 0;

  /** Cursors that wait for their `getMore`. */
  get size(): number {
    return this.#open.size;
  }

  /** The first answer of a cursor over these documents. */
  first(namespace: string, documents: readonly Doc[], command: Doc): Doc {
    const options = (command["cursor"] ?? command) as Doc;
    const size = Number(options["batchSize"] ?? firstBatchSize);
    const batch = batchOf(documents, size);
    const rest = documents.slice(batch.length);
    const id = rest.length === 0 || command["singleBatch"] === true ? 0 : (this.#last += 1);
    if (id !== 0) this.#open.set(String(id), { namespace, rest });
    return { cursor: { id: Long.fromNumber(id), ns: namespace, firstBatch: batch } };
  }

  /** The answer of a `getMore`. */
  more(command: Doc, namespace: string): Doc {
    const id = String(command["getMore"]);
    const held = this.#open.get(id);
    if (held === undefined) {
      throw new CommandError(43, "CursorNotFound", `cursor id ${id} not found`);
    }
    if (held.namespace !== namespace) {
      throw new CommandError(13, "Unauthorized", "the cursor belongs to another namespace");
    }
    const batch = batchOf(held.rest, Number(command["batchSize"] ?? Infinity));
    held.rest = held.rest.slice(batch.length);
    if (held.rest.length === 0) this.#open.delete(id);
    const left = held.rest.length === 0 ? 0 : Number(id);
    return { cursor: { id: Long.fromNumber(left), ns: namespace, nextBatch: batch } };
  }

  /** Ends cursors. */
  kill(ids: readonly unknown[]): Doc {
    const known = ids.filter((id) => this.#open.delete(String(id)));
    const unknown = ids.filter((id) => !known.includes(id));
    return { cursorsKilled: known, cursorsNotFound: unknown, cursorsAlive: [], cursorsUnknown: [] };
  }
}

function batchOf(documents: readonly Doc[], size: number): readonly Doc[] {
  let bytes = 0;
  let count = 0;
  for (const document of documents) {
    bytes += calculateObjectSize(document);
    if (count >= size || (count > 0 && bytes > replyBytesMax)) break;
    count += 1;
  }
  return documents.slice(0, count);
}
