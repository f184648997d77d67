/**
 * @module SharedMemory: the kinds that carry no tenant by design (requirements: Scope hierarchy 5):
 * agent definitions, personas, toolbox, tool servers, skills, shared memory, automations,
 * recommendations, experiments, replays. What is written here is readable by every tenant's turns.
 */
import { attribute, CodedError, memoryCollections, sharedKinds } from "@turnproof/semconv";
import type { SharedKind } from "@turnproof/semconv";
import type { Json, MemoryStore, SharedRecord } from "@turnproof/store";

import { memoryClock } from "./clock.ts";
import type { Clock } from "./clock.ts";
import type { MemoryWitness } from "./place.ts";

/** Structured payload of a shared row. */
export type SharedData = Readonly<Record<string, Json>>;

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
  async get(id: string, turn?: MemoryWitness): Promise<SharedRecord | undefined> {
    const rows = await this.#watch(turn, async () => {
      const row = await this.#store.shared.get(this.#kind, id);
      return row === undefined ? [] : [row];
    });
    return rows[0];
  }

  /** The newest rows, newest first. */
  list(limit = 100, turn?: MemoryWitness): Promise<readonly SharedRecord[]> {
    return this.#watch(
      turn,
      async () => (await this.#store.shared.list(this.#kind, { limit })).records,
    );
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
    turn: MemoryWitness | undefined,
    read: () => Promise<readonly SharedRecord[]>,
  ): Promise<readonly SharedRecord[]> {
    if (turn === undefined) return read();
    const storeId = memoryCollections[this.#kind];
    return turn.memoryOperation(
      { operation: "search_memory", storeId, scopeApplied: "shared" },
      async (operation) => {
        const rows = await read();
        await operation.step.end("success", { [attribute.record_count.span]: rows.length });
        return rows;
      },
    );
  }
}

/** All shared kinds. */
export class SharedMemory {
  readonly #store: MemoryStore;
  readonly #now: Clock;

  constructor(store: MemoryStore, clock: Clock = memoryClock()) {
    this.#store = store;
    this.#now = clock;
  }

  /** The rows of one kind. @throws CodedError record_invalid for a scoped kind */
  of(kind: SharedKind): SharedCollection {
    return new SharedCollection(this.#store, kind, this.#now);
  }
}
