/**
 * @module SharedMemory: the kinds without a tenant by design (requirements: Scope hierarchy 5):
 * agent definitions, personas, toolbox, tool servers, skills, shared memory, automations,
 * recommendations, experiments, replays. Turns of every tenant can read what is written here.
 */
import {
  attribute,
  CodedError,
  increasingClock,
  memoryCollections,
  sharedKinds,
} from "@turnproof/semconv";
import type { Clock, SharedKind } from "@turnproof/semconv";
import type { Json, MemoryStore, SharedRecord } from "@turnproof/store";

import type { MemoryRecorder } from "./place.ts";

/** Structured payload of a shared row. */
export type SharedData = Readonly<Record<string, Json>>;

/** The newest rows of a kind. */
export interface SharedRows {
  readonly rows: readonly SharedRecord[];
  /** True when there are older rows that were not read. */
  readonly bounded: boolean;
}

/** One shared kind. */
export class SharedCollection {
  readonly #store: MemoryStore;
  readonly #kind: SharedKind;
  readonly #now: Clock;

  constructor(store: MemoryStore, kind: SharedKind, clock: Clock) {
    if (!sharedKinds.includes(kind)) throw new CodedError("record_invalid", { field: "kind" });
    this.#store = store;
    this.#kind = kind;
    this.#now = clock;
  }

  /** Writes a row, replacing one of the same id. */
  put(id: string, data: SharedData, text?: string): Promise<SharedRecord> {
    if (id === "") throw new CodedError("identity_empty", { field: "id" });
    const draft = { id, data, created_at: this.#now(), ...(text === undefined ? {} : { text }) };
    return this.#store.shared.put(this.#kind, draft);
  }

  /** One row; inside a turn the read is evidence, with `shared` as its scope. */
  async get(id: string, turn?: MemoryRecorder): Promise<SharedRecord | undefined> {
    const { rows } = await this.#watch(turn, async () => {
      const row = await this.#store.shared.get(this.#kind, id);
      return { rows: row === undefined ? [] : [row], bounded: false };
    });
    return rows[0];
  }

  /** The newest rows, newest first. */
  async list(limit = 100, turn?: MemoryRecorder): Promise<readonly SharedRecord[]> {
    return (await this.newest(limit, turn)).rows;
  }

  /** The newest rows, newest first, and whether older ones were left out; recorded as well. */
  newest(limit: number, turn?: MemoryRecorder): Promise<SharedRows> {
    return this.#watch(turn, async () => {
      const { records } = await this.#store.shared.list(this.#kind, { limit: limit + 1 });
      return { rows: records.slice(0, Math.max(limit, 0)), bounded: records.length > limit };
    });
  }

  /** Changes a row if it still has that version. @throws CodedError store_conflict */
  update(id: string, version: number, data: SharedData): Promise<SharedRecord> {
    return this.#store.shared.update(this.#kind, id, version, data);
  }

  /** True when a row was deleted. */
  delete(id: string): Promise<boolean> {
    return this.#store.shared.delete(this.#kind, id);
  }

  async #watch(
    turn: MemoryRecorder | undefined,
    read: () => Promise<SharedRows>,
  ): Promise<SharedRows> {
    if (turn === undefined) return read();
    const storeId = memoryCollections[this.#kind];
    return turn.memoryOperation(
      { operation: "search_memory", storeId, scopeApplied: "shared" },
      async (operation) => {
        const found = await read();
        await operation.step.end("success", {
          [attribute.record_count.span]: found.rows.length,
          ...(found.bounded
            ? {
                [attribute.memory_degraded.span]: true,
                [attribute.fallback_reason.span]: "memory_search_bounded",
              }
            : {}),
        });
        return found;
      },
    );
  }
}

/** All shared kinds. */
export class SharedMemory {
  readonly #store: MemoryStore;
  readonly #now: Clock;

  constructor(store: MemoryStore, clock: Clock = increasingClock()) {
    this.#store = store;
    this.#now = clock;
  }

  /** The rows of one kind. @throws CodedError record_invalid for a scoped kind */
  of(kind: SharedKind): SharedCollection {
    return new SharedCollection(this.#store, kind, this.#now);
  }
}
