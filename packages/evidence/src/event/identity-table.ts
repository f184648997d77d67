/**
 * @module IdentityTable: identities as small integers. One map keyed by joined strings was not
 * linear; here every field is one step down a trie, absent and null are separate
 * values, and the last identity is cached, because events of a turn are adjacent.
 */
import type { TurnEvent } from "./event.ts";

/** A field that may be part of an identity. */
export type TableField =
  | "event_kind"
  | "application_id"
  | "agent_id"
  | "user_id"
  | "thread_id"
  | "root_trace_id"
  | "turn_id"
  | "ingest_principal";

type Reader = (event: TurnEvent) => unknown;

/** Readers by name: separate functions keep property access monomorphic and fast. */
const readers: { readonly [K in TableField]: Reader } = {
  event_kind: (event) => event.event_kind,
  application_id: (event) => event.application_id,
  agent_id: (event) => event.agent_id,
  user_id: (event) => event.user_id,
  thread_id: (event) => event.thread_id,
  root_trace_id: (event) => event.root_trace_id,
  turn_id: (event) => event.turn_id,
  ingest_principal: (event) => event.ingest_principal,
};

/** Gives every distinct tuple of the chosen fields a number, from 0. */
export interface IdentityTable {
  /** Equal tuples get equal numbers; numbers follow first occurrence. */
  idOf(event: TurnEvent): number;
  readonly size: number;
}

type Branch = Map<unknown, Branch | number>;

/** An empty table over these fields; null equals only null, absent only absent. */
export function createIdentityTable(fields: readonly TableField[]): IdentityTable {
  return new Table(fields);
}

/**
 * A single tuple is found by comparison: the trie is created for the second, which most roots
 * lack.
 */
class Table implements IdentityTable {
  size = 0;
  private readonly read: readonly Reader[];
  private readonly last: unknown[] = [];
  private lastId = -1;
  private trunk: Branch | undefined;

  constructor(fields: readonly TableField[]) {
    this.read = fields.map((field) => readers[field]);
  }

  idOf(event: TurnEvent): number {
    if (this.isLast(event)) return this.lastId;
    if (this.size === 1 && this.trunk === undefined) {
      this.trunk = new Map();
      this.enter(this.trunk, 0);
    }
    for (const [i, read] of this.read.entries()) this.last[i] = read(event);
    this.lastId = this.trunk === undefined ? 0 : this.enter(this.trunk, this.size);
    if (this.lastId === this.size) this.size += 1;
    return this.lastId;
  }

  private isLast(event: TurnEvent): boolean {
    if (this.lastId === -1) return false;
    const { read, last } = this;
    for (let i = 0; i < read.length; i += 1) {
      if ((read[i] as Reader)(event) !== last[i]) return false;
    }
    return true;
  }

  /** Number of the last tuple in the trie; a new tuple gets this one. */
  private enter(trunk: Branch, id: number): number {
    const { last } = this;
    const depth = last.length - 1;
    let branch = trunk;
    for (let i = 0; i < depth; i += 1) {
      let next = branch.get(last[i]);
      if (next === undefined) {
        next = new Map();
        branch.set(last[i], next);
      }
      branch = next as Branch;
    }
    const known = branch.get(last[depth]) as number | undefined;
    if (known === undefined) branch.set(last[depth], id);
    return known ?? id;
  }
}
