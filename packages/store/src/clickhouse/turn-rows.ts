/**
 * @module TurnRows: the rows of the turns table that a batch makes: which turn of which root spoke
 * until when, and whether anything of it failed. What says no turn counts to the only one that its
 * root names in the batch; where there is none, or several, it stands as turn 0 of its root, which
 * is a turn of its own for as long as the root names no other.
 */
import { bystanders, spanKey } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";

import { clampedInstant } from "../time.ts";
import type { Instant } from "../time.ts";
import { murmur32 } from "../bundle/murmur.ts";
import { NativeBlock } from "./native-writer.ts";

/** What a batch says of one turn. */
interface Spoken {
  received: number;
  at: Instant;
  failed: boolean;
}

/** Turns of one root by the hash of their id. */
type Turns = Map<number, Spoken>;

/** Stands for the turn of whatever says none. */
const noTurn = 0;

/** Rows under construction. */
export class TurnRows {
  private readonly roots = new Map<string, Turns>();
  private lastRoot: string | undefined;
  private turns: Turns = new Map();

  /** Adds what one event says, received in that second. */
  add(event: TurnEvent, seconds: number): void {
    if (!isCounted(event)) return;
    const root = event.root_trace_id ?? "";
    if (root !== this.lastRoot) {
      this.turns = this.roots.get(root) ?? new Map<number, Spoken>();
      this.roots.set(root, this.turns);
      this.lastRoot = root;
    }
    const at = clampedInstant(event.timestamp);
    const failed = event.status === "error";
    join(this.turns, turnHash(event), { received: seconds, at, failed });
  }

  /** The rows. */
  block(): NativeBlock {
    const block = new NativeBlock();
    const received = block.column("received_at", "DateTime('UTC')");
    const roots = block.column("root", "UInt64");
    const turns = block.column("turn", "UInt32");
    const times = block.column("timestamp", "DateTime64(9, 'UTC')");
    const failed = block.column("failed", "Bool");
    for (const [root, own] of this.roots) {
      const hash = rootHash64(root);
      for (const [turn, spoken] of withStrays(own)) {
        received.put(block.rows, spoken.received);
        roots.put(block.rows, hash);
        turns.put(block.rows, turn);
        times.putNanos(block.rows, spoken.at.seconds, spoken.at.nanos);
        failed.put(block.rows, spoken.failed);
        block.endRow();
      }
    }
    return block;
  }
}

/** Rows of other stores, and what alone makes no turn, are not counted. */
function isCounted({ event_kind, source_store }: TurnEvent): boolean {
  const trace = source_store === undefined || (source_store as string) === "";
  return (trace || source_store === "trace") && !bystanders.has(event_kind);
}

function turnHash(event: TurnEvent): number {
  const id = event.turn_id || (event.event_kind === "turn" ? spanKey(event) : undefined);
  return id === undefined ? noTurn : Math.max(murmur32(id), 1);
}

/** The hash under which the locate table knows the root, and 32 more bits that tell it apart. */
function rootHash64(root: string): bigint {
  return (BigInt(murmur32(`/${root}`)) << 32n) | BigInt(murmur32(root));
}

function withStrays(turns: Turns): Turns {
  const strays = turns.get(noTurn);
  if (strays === undefined || turns.size !== 2) return turns;
  turns.delete(noTurn);
  for (const turn of turns.keys()) join(turns, turn, strays);
  return turns;
}

function join(turns: Turns, turn: number, more: Spoken): void {
  const known = turns.get(turn);
  if (known === undefined) return void turns.set(turn, { ...more });
  known.received = Math.max(known.received, more.received);
  known.failed ||= more.failed;
  const { seconds, nanos } = more.at;
  const later = seconds - known.at.seconds || nanos - known.at.nanos;
  if (later > 0) known.at = more.at;
}
