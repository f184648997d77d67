/**
 * @module ClusterInserts: sends blocks to the shards of their rows. This process writes each
 * shard's rows to its local table where one of its replicas is reachable, else to the
 * `Distributed` table, through which the engine forwards them. Both ways store them on the same
 * shard under the same token, so a block that is sent again the other way is stored once.
 */
import { murmur32 } from "../bundle/murmur.ts";
import { idWord } from "../bundle/bundle-words.ts";
import { localTable } from "./cluster-tables.ts";
import type { NativeTable } from "./native-reader.ts";
import { readNative } from "./native-reader.ts";
import type { NativeValue } from "./native-sink.ts";
import { NativeBlock } from "./native-writer.ts";
import type { EncodedBlock } from "./native-writer.ts";
import { storeError } from "./store-error.ts";

/** A server that stores rows of a shard. */
export interface ShardReplica {
  /**
   * True when the server confirms that it is this replica of the shard; throws when it is
   * unreachable.
   */
  readonly isItself: () => Promise<boolean>;
  readonly insert: (table: string, block: EncodedBlock, token: string) => Promise<void>;
}

/** A shard: its weight, and its replicas in the order of the configuration. */
export interface Shard {
  readonly weight: number;
  readonly replicas: readonly ShardReplica[];
}

/** How long an unreachable replica is not tried again. */
const awayMs = 30_000;

/** Tables whose rows the process distributes, and the hash that it uses. */
const hashes: Readonly<Record<string, (table: NativeTable) => readonly number[]>> = {
  bundles: rootColumn,
  root_epochs: rootColumn,
  turn_ledger: hashedNames,
};

function rootColumn({ columns }: NativeTable): readonly number[] {
  return (columns.get("root") ?? []) as readonly number[];
}

function hashedNames({ columns }: NativeTable): readonly number[] {
  const names = (columns.get("root_trace_id") ?? []) as readonly string[];
  return names.map((name) => murmur32(idWord(name)));
}

/**
 * Inserts over shards. It fails when the rows of some shard could not be stored; rows of others
 * may be stored then, and a resend stores them once.
 *
 * @param through inserts into a table of the server that the collector is connected to
 */
export function clusterInserts(
  cluster: string,
  shards: readonly Shard[],
  through: ShardReplica["insert"],
): ShardReplica["insert"] {
  // As in the engine: each shard has as many slots as its weight.
  const places = shards.flatMap(({ weight }, at) => Array.from({ length: weight }, () => at));
  const replicas = shards.map((shard) => shard.replicas.map(watched));
  return async (table, block, token) => {
    const hash = hashes[table];
    if (hash === undefined) return through(table, block, token);
    const pieces = splitBlock(block, (rows) =>
      hash(rows).map((value) => places[value % places.length] ?? 0),
    );
    const sent = await Promise.allSettled(
      [...pieces].map(async ([shard, piece]) => {
        const own = `${token}_${shard + 1}`;
        for (const replica of replicas[shard] ?? []) {
          if (await replica(localTable(table, cluster), piece, own)) return;
        }
        await through(table, piece, own);
      }),
    );
    for (const one of sent) if (one.status === "rejected") throw one.reason;
  };
}

/**
 * A replica's insert that returns false where the replica is unreachable, or is another server.
 */
function watched(replica: ShardReplica) {
  let checked = false;
  let awayUntil = 0;
  return async (...given: Parameters<ShardReplica["insert"]>): Promise<boolean> => {
    if (Date.now() < awayUntil) return false;
    try {
      checked = checked || (await replica.isItself());
      if (checked) await replica.insert(...given);
    } catch (error) {
      // Another replica would refuse the same rows.
      if (storeError(error).code !== "store_unavailable") throw error;
      checked = false;
    }
    if (!checked) awayUntil = Date.now() + awayMs;
    return checked;
  };
}

/** The rows of a block by shard; a block of one shard is sent unchanged. */
function splitBlock(
  block: EncodedBlock,
  shardsOf: (table: NativeTable) => readonly number[],
): ReadonlyMap<number, EncodedBlock> {
  const { bytes } = block;
  const table = readNative(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const shards = shardsOf(table);
  const [first] = shards;
  if (shards.every((shard) => shard === first)) return new Map([[first ?? 0, block]]);
  const blocks = new Map<number, NativeBlock>();
  for (const [row, shard] of shards.entries()) {
    const own = blocks.get(shard) ?? new NativeBlock();
    blocks.set(shard, own);
    for (const { name, type } of block.columns) {
      own.set(name, type, table.columns.get(name)?.[row] as NativeValue);
    }
    own.endRow();
  }
  return new Map([...blocks].map(([shard, own]) => [shard, own.encode()]));
}
