/**
 * @module LocatePlaces: the rows of the locate table that a batch makes: hashes of terms by bucket
 * of receipt and by root, and the seconds in which something of a root arrived. Each stands once a
 * batch, however often it is mentioned.
 */
import type { TurnEvent } from "@turnproof/evidence";

import { addTerms } from "./locate-terms.ts";
import { arrivalHash } from "./locate.ts";
import { murmur32 } from "../bundle/murmur.ts";
import { NativeBlock } from "./native-writer.ts";

/** Seconds of a bucket of receipt, the unit of the locate table and of the sorting key. */
const bucketSeconds = 300;

/** Coarse terms stand under no root. */
const noRoot = 0;

type Hashes = Set<number>;

/** Places under construction. */
export class LocatePlaces {
  /** Hashes of terms by the hash of their root, by bucket. */
  private readonly places = new Map<number, Map<number, Hashes>>();
  /** Roots by the second in which something of theirs was received. */
  private readonly arrivals = new Map<number, Hashes>();
  private own: Hashes = new Set();
  private coarse: Hashes = new Set();
  private heard: Hashes = new Set();
  /** The event before, when its terms went to the same sets. */
  private before: TurnEvent | undefined;
  private lastRoot = "";
  private lastHash = 0;
  private lastBucket = -1;
  private lastSeconds = -1;
  private readonly fine = (term: string): void => void this.own.add(murmur32(term));
  private readonly rough = (term: string): void => void this.coarse.add(murmur32(term));

  /** Adds what one event says, received in that second. */
  add(event: TurnEvent, seconds: number): void {
    const root = event.root_trace_id ?? "";
    const bucket = seconds - (seconds % bucketSeconds);
    // The spans of a turn come one after another.
    if (root !== this.lastRoot || bucket !== this.lastBucket) {
      const hash = murmur32(root);
      const roots = held(this.places, bucket, newRoots);
      this.own = held(roots, hash, newHashes);
      this.coarse = held(roots, noRoot, newHashes);
      this.before = undefined;
      this.lastRoot = root;
      this.lastHash = hash;
      this.lastBucket = bucket;
    }
    addTerms(event, this.before, this.fine, this.rough);
    this.before = event;
    if (seconds !== this.lastSeconds) {
      this.heard = held(this.arrivals, seconds, newHashes);
      this.lastSeconds = seconds;
    }
    this.heard.add(this.lastHash);
  }

  /** The rows. */
  block(): NativeBlock {
    const block = new NativeBlock();
    const hashes = block.column("hash", "UInt32");
    const buckets = block.column("bucket", "DateTime('UTC')");
    const roots = block.column("root", "UInt32");
    const put = (hash: number, seconds: number, root: number): void => {
      hashes.put(block.rows, hash);
      buckets.put(block.rows, seconds);
      roots.put(block.rows, root);
      block.endRow();
    };
    for (const [seconds, heard] of this.arrivals)
      for (const root of heard) put(arrivalHash, seconds, root);
    for (const [bucket, byRoot] of this.places) {
      for (const [root, terms] of byRoot) for (const hash of terms) put(hash, bucket, root);
    }
    return block;
  }
}

const newHashes = (): Hashes => new Set();
const newRoots = (): Map<number, Hashes> => new Map();

/** The value under a key, made when it is missing. */
function held<V>(map: Map<number, V>, key: number, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
