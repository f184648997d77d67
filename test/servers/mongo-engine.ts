/**
 * @module The state of one test server: databases, search indexes, cursors, the sessions whose
 * writes can be retried, and the faults that a test sets.
 */
import { handlers } from "./mongo-commands.ts";
import { Collection, keyOf } from "./mongo-collection.ts";
import { Cursors } from "./mongo-cursors.ts";
import { CommandError } from "./mongo-error.ts";
import { violationOf } from "./mongo-grammar.ts";
import type { SearchIndex } from "./mongo-search.ts";
import type { Doc } from "./mongo-wire.ts";

/** What a principal may do, and what goes wrong. */
export interface MongoFaults {
  /** True: changes of search indexes are refused as unauthorized. */
  readonly refuseIndexUpdates?: boolean;
  /** True: the server has search; otherwise its commands are unknown, as in a plain server. */
  readonly search?: boolean;
  /** True: an index that was made or changed stays `BUILDING` until `finishBuilding`. */
  readonly slowBuilds?: boolean;
  /** Commands whose next answer is lost after they were carried out. */
  readonly loseAnswers?: readonly string[];
  /** Every command on these collections is refused with this error of the server. */
  readonly refuse?: {
    readonly collections: readonly string[];
    readonly code: number;
    readonly name: string;
  };
}

/**
 * Commands and filters that are kept for a test to look at: a long run must not fill the memory.
 */
const recordedMax = 200_000;

/** Thrown where a connection ends instead of an answer. */
export class LostAnswer extends Error {}

/** The documents and commands of one server. */
export class Engine {
  readonly commands: string[] = [];
  readonly filters: unknown[] = [];
  readonly violations: string[] = [];
  readonly cursors = new Cursors();
  readonly #collections = new Map<string, Collection>();
  readonly #search = new Map<string, Map<string, SearchIndex>>();
  /** Search indexes of a collection in whichever database, as a test defines them. */
  readonly everywhere = new Map<string, Map<string, SearchIndex>>();
  readonly #sessions = new Map<string, { readonly number: string; readonly reply: Doc }>();
  #lost: string[] = [];
  #faults: MongoFaults = {};

  get faults(): MongoFaults {
    return this.#faults;
  }

  set faults(faults: MongoFaults) {
    this.#faults = faults;
    this.#lost = [...(faults.loseAnswers ?? [])];
  }

  collection(database: string, name: string): Collection {
    const key = `${database}.${name}`;
    const found = this.#collections.get(key) ?? new Collection();
    this.#collections.set(key, found);
    return found;
  }

  drop(database: string): Doc {
    for (const key of this.#collections.keys()) {
      if (key.startsWith(`${database}.`)) this.#collections.delete(key);
    }
    return { dropped: database };
  }

  /** A collection that is not there is dropped as well, as by servers since version 7. */
  dropCollection(database: string, name: string): Doc {
    this.#collections.delete(`${database}.${name}`);
    return { ns: `${database}.${name}` };
  }

  stored(database: string): string {
    const own = [...this.#collections].filter(([key]) => key.startsWith(`${database}.`));
    return JSON.stringify(own.map(([key, { documents }]) => [key, documents]));
  }

  /** Keeps a filter for a test to look at. */
  saw(filter: unknown): void {
    if (this.filters.length < recordedMax) this.filters.push(filter);
  }

  /** Search indexes of a collection by name. */
  searchIndexes(database: string, name: string): Map<string, SearchIndex> {
    const key = `${database}.${name}`;
    const found = this.#search.get(key) ?? new Map(this.everywhere.get(name));
    this.#search.set(key, found);
    return found;
  }

  /** @throws CommandError where the server has no search */
  checkSearch(): void {
    if (this.faults.search === true) return;
    throw new CommandError(31_082, "SearchNotEnabled", "search is not enabled");
  }

  createSearchIndex(database: string, collection: string, name: string, given: Doc): void {
    this.#mayChange();
    if (!this.#collections.has(`${database}.${collection}`)) {
      throw new CommandError(26, "NamespaceNotFound", `Collection '${collection}' does not exist.`);
    }
    const indexes = this.searchIndexes(database, collection);
    if (indexes.has(name)) {
      throw new CommandError(68, "IndexAlreadyExists", "Duplicate Index");
    }
    const { fields } = given["definition"] as { readonly fields: readonly Doc[] };
    indexes.set(name, { name, type: String(given["type"]), fields, ...this.#begun(false) });
  }

  updateSearchIndex(database: string, collection: string, command: Doc): void {
    this.#mayChange();
    const indexes = this.searchIndexes(database, collection);
    const name = String(command["name"]);
    const held = indexes.get(name);
    if (held === undefined) {
      throw new CommandError(27, "IndexNotFound", `Index '${name}' does not exist`);
    }
    const { fields } = command["definition"] as { readonly fields: readonly Doc[] };
    // While it is built anew the old definition goes on answering.
    indexes.set(name, { ...held, fields, ...this.#begun(true) });
  }

  /** An index that a test defined holds in the databases that are known as well. */
  renew(collection: string, index: SearchIndex): void {
    for (const [key, indexes] of this.#search) {
      if (key.endsWith(`.${collection}`)) indexes.set(index.name, index);
    }
  }

  /** Every index that is being built is ready. */
  finishBuilding(): void {
    for (const indexes of this.#search.values()) {
      for (const [name, index] of indexes) {
        if (index.status !== "BUILDING") continue;
        indexes.set(name, { ...index, status: "READY", queryable: true });
      }
    }
  }

  /** The answer to a command. @throws LostAnswer where the connection ends instead */
  answer(command: Doc): Doc {
    const name = Object.keys(command)[0] ?? "";
    if (this.commands.length < recordedMax) this.commands.push(name);
    const retried = this.#retried(command);
    if (retried !== undefined) return retried;
    const reply = this.#run(name, command);
    this.#remember(command, reply);
    if (!this.#lost.includes(name)) return reply;
    this.#lost.splice(this.#lost.indexOf(name), 1);
    throw new LostAnswer();
  }

  #run(name: string, command: Doc): Doc {
    try {
      const handler = handlers[name];
      if (handler === undefined) {
        throw new CommandError(59, "CommandNotFound", `no such command: '${name}'`);
      }
      const violation = violationOf(command);
      if (violation !== undefined) {
        this.violations.push(`${name}: ${violation}`);
        throw new CommandError(9, "FailedToParse", violation);
      }
      const database = typeof command["$db"] === "string" ? command["$db"] : "test";
      const own = typeof command[name] === "string" ? command[name] : "";
      const { refuse } = this.faults;
      if (refuse?.collections.includes(own) === true) {
        throw new CommandError(refuse.code, refuse.name, "refused for a test");
      }
      const target = {
        engine: this,
        collection: this.collection(database, own),
        database,
        name: own,
      };
      return { ok: 1, ...handler(target, command) };
    } catch (error) {
      if (error instanceof CommandError) return error.reply();
      const errmsg = error instanceof Error ? error.message : "";
      return { ok: 0, code: 1, codeName: "InternalError", errmsg };
    }
  }

  /** The same write of the same session again is answered, not done again. */
  #retried(command: Doc): Doc | undefined {
    const session = sessionOf(command);
    const kept = session === undefined ? undefined : this.#sessions.get(session.id);
    if (session === undefined || kept === undefined) return undefined;
    if (kept.number === session.number) return kept.reply;
    if (Number(kept.number) < Number(session.number)) return undefined;
    const stated = "a transaction number that is older than the session's";
    return new CommandError(225, "TransactionTooOld", stated).reply();
  }

  #remember(command: Doc, reply: Doc): void {
    const session = sessionOf(command);
    if (session === undefined || reply["ok"] !== 1) return;
    // What a command answered stands, whatever becomes of its documents.
    this.#sessions.set(session.id, { number: session.number, reply: structuredReply(reply) });
  }

  #mayChange(): void {
    if (this.faults.refuseIndexUpdates !== true) return;
    throw new CommandError(13, "Unauthorized", "not authorized");
  }

  #begun(isOld: boolean): Pick<SearchIndex, "status" | "queryable"> {
    return this.faults.slowBuilds === true
      ? { status: "BUILDING", queryable: isOld }
      : { status: "READY", queryable: true };
  }
}

function sessionOf(command: Doc): { readonly id: string; readonly number: string } | undefined {
  const { lsid, txnNumber } = command;
  if (txnNumber === undefined || txnNumber === null) return undefined;
  return { id: keyOf((lsid as Doc)["id"]), number: keyOf(txnNumber) };
}

function structuredReply(reply: Doc): Doc {
  const value = reply["value"];
  return typeof value === "object" && value !== null ? { ...reply, value: { ...value } } : reply;
}
