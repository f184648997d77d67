/**
 * @module Active context: the OpenTelemetry context that is active here, with or without a
 * registered context manager. Without one, the runtime's own `AsyncLocalStorage` separates our
 * contexts, so that spans keep their parents. A runtime without that reports it once per turn.
 */
import { context, createContextKey, ROOT_CONTEXT } from "@opentelemetry/api";
import type { Context } from "@opentelemetry/api";

/** Node's `AsyncLocalStorage`; some other runtimes have it as a global. */
interface Storage {
  getStore(): Context | undefined;
  run<T>(store: Context, fn: () => T): T;
}
type StorageMaker = new () => Storage;

/** Node's builtin modules without an import, so that bundlers for browsers do not fail. */
interface Runtime {
  readonly AsyncLocalStorage?: StorageMaker;
  readonly process?: {
    getBuiltinModule?(name: string): { readonly AsyncLocalStorage?: StorageMaker } | undefined;
  };
}

const probeKey = createContextKey("turnproof probe");
const probe = ROOT_CONTEXT.setValue(probeKey, true);

/** One instance for all copies of this package in a process, as in OpenTelemetry's API. */
const slot = Symbol.for("turnproof.active-context");
const place = globalThis as { [slot]?: Storage | null };

function storage(): Storage | undefined {
  if (place[slot] === undefined) {
    const { AsyncLocalStorage, process } = globalThis as Runtime;
    const make =
      AsyncLocalStorage ?? process?.getBuiltinModule?.("node:async_hooks")?.AsyncLocalStorage;
    place[slot] = make === undefined ? null : new make();
  }
  return place[slot] ?? undefined;
}

/** True when a context manager is registered. */
function isManaged(): boolean {
  if (context.active() !== ROOT_CONTEXT) return true;
  return context.with(probe, () => context.active().getValue(probeKey) === true);
}

/** True when code that runs in a context can read it: by a context manager or the runtime. */
export function parentsAreKept(): boolean {
  return isManaged() || storage() !== undefined;
}

/** The context that is active here. */
export function activeContext(): Context {
  const active = context.active();
  if (active !== ROOT_CONTEXT) return active;
  return isManaged() ? active : (storage()?.getStore() ?? active);
}

/** Runs the function with this context active. */
export function runIn<T>(active: Context, fn: () => T): T {
  const own = isManaged() ? undefined : storage();
  return own === undefined ? context.with(active, fn) : own.run(active, fn);
}
