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
  const trunk: Branch = new Map();
  const last: unknown[] = fields.map(() => trunk);
  const read = fields.map((field) => readers[field]);
  const depth = fields.length - 1;
  let lastId = -1;
  let size = 0;

  function idOf(event: TurnEvent): number {
    let changed = lastId === -1;
    for (let i = 0; i <= depth; i += 1) {
      const value = (read[i] as Reader)(event);
      if (value !== last[i]) {
        last[i] = value;
        changed = true;
      }
    }
    if (!changed) return lastId;
    let branch = trunk;
    for (let i = 0; i < depth; i += 1) {
      let next = branch.get(last[i]);
      if (next === undefined) {
        next = new Map();
        branch.set(last[i], next);
      }
      branch = next as Branch;
    }
    let id = branch.get(last[depth]) as number | undefined;
    if (id === undefined) {
      id = size;
      size += 1;
      branch.set(last[depth], id);
    }
    lastId = id;
    return id;
  }

  return {
    idOf,
    get size() {
      return size;
    },
  };
}
