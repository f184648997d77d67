/**
 * @module IdentityTable: identities as small integers. One map keyed by joined strings was what
 * broke linearity (design 8); here every field is one step down a trie, absent and null are values
 * of their own, and the last identity answers at once, because events of a turn stand together.
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

/** Readers by name: each is its own place in the code, so reading stays as fast as a property. */
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

/** Gives every distinct tuple of the chosen fields a number, counted from 0. */
export interface IdentityTable {
  /** The same number for the same tuple, whatever the order of arrival gave it. */
  idOf(event: TurnEvent): number;
  readonly size: number;
}

type Branch = Map<unknown, Branch | number>;

/** An empty table over these fields; NULL equals only NULL, absent only absent. */
export function createIdentityTable(fields: readonly TableField[]): IdentityTable {
  return new Table(fields);
}

/** One tuple is told by comparison: the trie is made for the second, which most roots lack. */
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

  /** Number of the last tuple in the trie; it gets this one where it is new. */
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
