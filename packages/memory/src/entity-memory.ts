/**
 * @module EntityMemory: facts about a user and their world: profile attributes, preferences,
 * writing samples and other entities. Rows belong to a memory and are shared by all agents that
 * write to it.
 */
import type { Json, MemoryRecord, MemoryStore } from "@turnproof/store";
import { contentFingerprint } from "@turnproof/semconv/fingerprint";

import { memoryRef } from "./memory-ref.ts";
import { migrateLegacyScope } from "./migrate-legacy-scope.ts";
import type { LegacyScope } from "./migrate-legacy-scope.ts";
import { levelOf } from "./place.ts";
import type { Level, MemoryPlace } from "./place.ts";
import { watched } from "./watched-store.ts";
import type { MemoryOptions, WatchedStore } from "./watched-store.ts";

/** Which part of the context an entity goes to. */
export type EntityRole = "profile" | "preference" | "writing_sample" | "entity";

/** An entity before it is stored. */
export interface EntityDraft {
  /** Name of the attribute, preference, sample or entity: a label, e.g. `home_city`. */
  readonly name: string;
  /** Default `entity`. */
  readonly role?: EntityRole;
  readonly text: string;
  /** Further structure; never placed in a context. */
  readonly facts?: Readonly<Record<string, Json>>;
}

/** An entity as it is stored. */
export interface Entity extends Required<Omit<EntityDraft, "facts">> {
  readonly id: string;
  readonly facts: Readonly<Record<string, Json>>;
  readonly at: string;
}

const roles: readonly string[] = ["profile", "preference", "writing_sample", "entity"];

/** A stored row as an entity; a row of another writer becomes an entity by its text and id. */
export function entityOf(row: MemoryRecord): Entity {
  const { name, role, facts } = row.data;
  return {
    id: row.id,
    name: typeof name === "string" ? name : row.id,
    role: typeof role === "string" && roles.includes(role) ? (role as EntityRole) : "entity",
    text: row.text ?? "",
    facts:
      typeof facts === "object" && facts !== null && !Array.isArray(facts)
        ? (facts as Readonly<Record<string, Json>>)
        : {},
    at: row.created_at,
  };
}

/** Within a memory, rows of all agents are read; without a memory, those of the agent alone. */
export function entityLevels(place: MemoryPlace): readonly Level[] {
  return place.memoryId === undefined ? ["agentId"] : ["memoryId"];
}

/** Entity memory. */
export class EntityMemory {
  readonly #store: WatchedStore;

  constructor(provider: MemoryStore | WatchedStore, options?: MemoryOptions) {
    this.#store = watched(provider, options);
  }

  /** Stores an entity; replaces the one with the same role and name in the same memory. */
  async remember(place: MemoryPlace, entity: EntityDraft): Promise<Entity> {
    const role = entity.role ?? "entity";
    const agentId = levelOf(place, "agentId");
    const [embedding] = (await this.#store.embed([`${entity.name} ${entity.text}`])) ?? [];
    const row = await this.#store.put(place, entityLevels(place), "entity", {
      id: idOf(place, role, entity.name),
      ...(agentId === null ? {} : { agent_id: agentId }),
      text: entity.text,
      created_at: this.#store.now(),
      data: {
        name: entity.name,
        role,
        ...(entity.facts === undefined ? {} : { facts: entity.facts }),
        ...(embedding === undefined ? {} : { embedding_model: this.#store.embeddingModel }),
      },
      ...(embedding === undefined ? {} : { embedding }),
    });
    return entityOf(row);
  }

  /** The newest entities of the place, newest first, of one role or of all. */
  async list(
    place: MemoryPlace,
    options: { readonly role?: EntityRole; readonly limit?: number } = {},
  ): Promise<readonly Entity[]> {
    const { role, limit = 200 } = options;
    const rows = await this.#store.list(place, entityLevels(place), "entity", limit);
    return rows.map(entityOf).filter((entity) => role === undefined || entity.role === role);
  }

  /** One entity by role and name. */
  async get(
    place: MemoryPlace,
    name: string,
    role: EntityRole = "entity",
  ): Promise<Entity | undefined> {
    const id = idOf(place, role, name);
    const row = await this.#store.get(place, entityLevels(place), "entity", id);
    return row === undefined ? undefined : entityOf(row);
  }

  /** Deletes an entity and records this in the turn; true when there was one. */
  async forget(place: MemoryPlace, name: string, role: EntityRole = "entity"): Promise<boolean> {
    const id = idOf(place, role, name);
    const forgotten = await this.#store.delete(place, entityLevels(place), "entity", id);
    if (!forgotten) return false;
    const { ref } = memoryRef(this.#store.fingerprint, "entity", id);
    await place.turn?.learned({ event: "memory_forgotten", candidateRef: ref });
    return true;
  }

  /**
   * Moves the legacy rows of one memory to a user and returns how many moved (requirements:
   * Provider scoping). For operators only.
   * @throws CodedError identity_missing, identity_empty, capability_missing
   */
  migrateLegacyScope(scope: LegacyScope): Promise<number> {
    return migrateLegacyScope(this.#store.store, scope);
  }
}

/** Deterministic id, unique within a tenant, so that storing the same entity again replaces it. */
function idOf(place: MemoryPlace, role: EntityRole, name: string): string {
  const memoryId = levelOf(place, "memoryId");
  const home = memoryId === null ? ["agent", levelOf(place, "agentId")] : ["memory", memoryId];
  return `ent_${contentFingerprint(JSON.stringify([...home, role, name])).slice(7, 47)}`;
}
