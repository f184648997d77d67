/**
 * @module Oracle: a plain model of memory that shares no code with it: lists of rows, and what a
 * place may see of them. A driver reads both and compares.
 */

/** Levels below the tenant; null is "none". */
export interface OraclePlace {
  readonly userId: string | null;
  readonly agentId: string;
  readonly memoryId: string;
  readonly threadId: string;
}

/** A message as the oracle knows it. */
export interface OracleMessage extends OraclePlace {
  readonly mark: string;
  readonly role: "user" | "assistant";
  /** Words of a turn that was cut short: of its own thread alone. */
  readonly cut?: boolean;
}

/** An entity: of a memory, whichever agent wrote it. */
interface OracleEntity {
  readonly userId: string | null;
  readonly memoryId: string;
  readonly name: string;
  readonly mark: string;
}

/** The model. */
export class Oracle {
  #messages: OracleMessage[] = [];
  #entities: OracleEntity[] = [];
  #summaries: (OraclePlace & { readonly mark: string })[] = [];

  print(message: OracleMessage): void {
    this.#messages.push(message);
  }

  summarize(place: OraclePlace, mark: string): void {
    this.#summaries.push({ ...place, mark });
  }

  remember(place: OraclePlace, name: string, mark: string): void {
    this.forget(place, name);
    const { userId, memoryId } = place;
    this.#entities.push({ userId, memoryId, name, mark });
  }

  forget(place: OraclePlace, name: string): boolean {
    const before = this.#entities.length;
    this.#entities = this.#entities.filter(
      (row) => row.userId !== place.userId || row.memoryId !== place.memoryId || row.name !== name,
    );
    return this.#entities.length < before;
  }

  deleteUser(userId: string | null): void {
    this.#messages = this.#messages.filter((row) => row.userId !== userId);
    this.#entities = this.#entities.filter((row) => row.userId !== userId);
    this.#summaries = this.#summaries.filter((row) => row.userId !== userId);
  }

  /** The end of a thread, oldest first. */
  history(place: OraclePlace, max: number): readonly string[] {
    return this.#messages
      .filter(
        (row) =>
          row.userId === place.userId &&
          row.agentId === place.agentId &&
          row.memoryId === place.memoryId &&
          row.threadId === place.threadId,
      )
      .slice(-max)
      .map(({ mark }) => mark);
  }

  entities(place: OraclePlace): readonly string[] {
    return this.#entities
      .filter((row) => row.userId === place.userId && row.memoryId === place.memoryId)
      .map(({ name, mark }) => `${name}=${mark}`)
      .toSorted((a, b) => (a < b ? -1 : 1));
  }

  /** Every mark that may reach a prompt of the place: its tenant's, in its memory. */
  allowed(place: OraclePlace): ReadonlySet<string> {
    const inMemory = (row: {
      readonly userId: string | null;
      readonly memoryId: string;
    }): boolean => row.userId === place.userId && row.memoryId === place.memoryId;
    const stated = this.#messages.filter(
      (row) =>
        inMemory(row) &&
        row.agentId === place.agentId &&
        (row.cut !== true || row.threadId === place.threadId),
    );
    const summed = this.#summaries.filter((row) => inMemory(row) && row.agentId === place.agentId);
    const known = this.#entities.filter(inMemory);
    return new Set([...stated, ...summed, ...known].map(({ mark }) => mark));
  }
}
