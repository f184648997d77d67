/**
 * @module OperatorMemory: the memory for routes. Memory rows are the only content that a collector
 * can read or change, so this handle refuses every change in read-only mode.
 */
import { CodedError } from "@turnproof/semconv";
import type { MemoryStore, SharedStore } from "@turnproof/store";

/** The memory for routes: in read-only mode without any mutation. */
export function operatorMemory(
  memory: MemoryStore | undefined,
  readOnly: boolean,
): MemoryStore | undefined {
  if (memory === undefined || !readOnly) return memory;
  const refuse = async (): Promise<never> => {
    throw new CodedError("store_read_only");
  };
  const { shared } = memory;
  const reading: SharedStore = {
    put: refuse,
    get: shared.get.bind(shared),
    list: shared.list.bind(shared),
    update: refuse,
    delete: refuse,
  };
  return {
    name: memory.name,
    put: refuse,
    get: memory.get.bind(memory),
    list: memory.list.bind(memory),
    count: memory.count.bind(memory),
    update: refuse,
    delete: refuse,
    vectorSearch: memory.vectorSearch.bind(memory),
    textSearch: memory.textSearch.bind(memory),
    shared: reading,
    check: memory.check.bind(memory),
    close: memory.close.bind(memory),
    [Symbol.asyncDispose]: memory[Symbol.asyncDispose].bind(memory),
  };
}
