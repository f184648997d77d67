/**
 * @module EventChannel: a bounded queue between a turn and the reader of its events. The turn
 * starts at the first read, waits for a slow reader, and is cancelled when the reader stops.
 */

/** Produces values; settles when there are no more. */
export type ValueProducer<T> = (send: (value: T) => Promise<void>) => Promise<unknown>;

/** Values of a producer, read once. */
export class EventChannel<T> implements AsyncIterableIterator<T>, AsyncDisposable {
  readonly #producer: ValueProducer<T>;
  readonly #cancel: () => void;
  readonly #capacity: number;
  readonly #queue: T[] = [];
  readonly #readers: (() => void)[] = [];
  readonly #writers: (() => void)[] = [];
  #running: Promise<void> | undefined;
  #left = false;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(producer: ValueProducer<T>, cancel: () => void, capacity = 16) {
    this.#producer = producer;
    this.#cancel = cancel;
    this.#capacity = capacity;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    if (!this.#left) this.#running ??= this.#run();
    while (this.#queue.length === 0 && !this.#ended && !this.#left) {
      await new Promise<void>((resolve) => this.#readers.push(resolve));
    }
    const value = this.#queue.shift();
    if (value !== undefined) {
      this.#writers.shift()?.();
      return { done: false, value };
    }
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
    return { done: true, value: undefined };
  }

  /** The reader stops: the producer is cancelled, and has ended when this resolves. */
  async return(): Promise<IteratorResult<T, undefined>> {
    if (!this.#ended) {
      this.#left = true;
      this.#cancel();
    }
    this.#queue.length = 0;
    this.#wakeAll();
    await this.#running;
    this.#failure = undefined;
    return { done: true, value: undefined };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  async #run(): Promise<void> {
    try {
      await this.#producer((value) => this.#send(value));
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#ended = true;
      this.#wakeAll();
    }
  }

  async #send(value: T): Promise<void> {
    while (this.#queue.length >= this.#capacity && !this.#left) {
      await new Promise<void>((resolve) => this.#writers.push(resolve));
    }
    if (this.#left) return;
    this.#queue.push(value);
    this.#readers.shift()?.();
  }

  #wakeAll(): void {
    for (const wake of [...this.#readers.splice(0), ...this.#writers.splice(0)]) wake();
  }
}
