/**
 * @module ReconnectingStore: a store whose server may be unreachable: until it is open every call
 * fails at once with `store_unavailable`.
 */
import { CodedError, codeOf } from "@turnproof/semconv";
import { capabilitiesOf, lateLedger } from "@turnproof/store";
import type {
  CheckResult,
  CollectorState,
  EvidenceStore,
  MemoryStore,
  ProviderName,
} from "@turnproof/store";

import type { Reconnecting } from "./reconnecting.ts";

/** The check of a store that is not open: its last failure. */
async function checkOf(
  resource: Reconnecting<{ check(): Promise<CheckResult> }>,
): Promise<CheckResult> {
  const failure = resource.failure();
  if (failure === undefined) {
    try {
      return await resource.current().check();
    } catch (error) {
      return {
        ok: false,
        code: codeOf(error),
        elapsedMs: 0,
      };
    }
  }
  const { code, field } = failure;
  return { ok: false, code, ...(field === undefined ? {} : { reason: field }), elapsedMs: 0 };
}

/** Evidence behind a server of a provider. @param name the server's display name */
export function reconnectingEvidence(
  provider: ProviderName,
  name: string,
  resource: Reconnecting<EvidenceStore>,
): EvidenceStore {
  const close = (): Promise<void> => resource.close();
  return {
    name,
    capabilities: capabilitiesOf(provider),
    sources: ["trace", "conversation", "tool_log"],
    ledger: lateLedger("store", () => resource.current().ledger),
    operatorRows: {
      list: async (...requested) => resource.current().operatorRows.list(...requested),
      write: async (row) => resource.current().operatorRows.write(row),
      remove: async (of) => resource.current().operatorRows.remove(of),
    },
    ...(capabilitiesOf(provider).includes("shared") ? { state: stateOf(resource) } : {}),
    append: async (batch) => resource.current().append(batch),
    appendPrepared: async (batch) => resource.current().appendPrepared(batch),
    readBack: async (id, receivedAt) => resource.current().readBack(id, receivedAt),
    page: async (scope, query, options) => resource.current().page(scope, query, options),
    bundles: async (scope, query, options) => resource.current().bundles(scope, query, options),
    root: async (scope, root, options) => resource.current().root(scope, root, options),
    roots: async (scope, roots, options) => resource.current().roots(scope, roots, options),
    find: async (scope, id, query, options) => resource.current().find(scope, id, query, options),
    quietRoots: async (since, before, limit) => resource.current().quietRoots(since, before, limit),
    shortRoots: async (...requested) => resource.current().shortRoots(...requested),
    standing: async (roots) => resource.current().standing(roots),
    held: async (signal) => resource.current().held(signal),
    readAll: async (signal) => {
      const store = resource.current();
      if (store.readAll === undefined) throw new CodedError("not_configured");
      return store.readAll(signal);
    },
    check: () => checkOf(resource),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function stateOf(resource: Reconnecting<EvidenceStore>): CollectorState {
  const current = (): CollectorState => {
    const { state } = resource.current();
    if (state === undefined) throw new CodedError("not_configured");
    return state;
  };
  return {
    read: async (kind, name) => current().read(kind, name),
    list: async (kind) => current().list(kind),
    write: async (kind, row) => current().write(kind, row),
  };
}

/** Memory behind a server. */
export function reconnectingMemory(name: string, resource: Reconnecting<MemoryStore>): MemoryStore {
  const close = (): Promise<void> => resource.close();
  return {
    name,
    put: async (filter, kind, draft) => resource.current().put(filter, kind, draft),
    get: async (filter, kind, id) => resource.current().get(filter, kind, id),
    list: async (filter, kind, options) => resource.current().list(filter, kind, options),
    count: async (filter, kind) => resource.current().count(filter, kind),
    update: async (...args) => resource.current().update(...args),
    delete: async (filter, kind, id) => resource.current().delete(filter, kind, id),
    vectorSearch: async (filter, kind, query) =>
      resource.current().vectorSearch(filter, kind, query),
    textSearch: async (filter, kind, query) => resource.current().textSearch(filter, kind, query),
    shared: {
      put: async (...args) => resource.current().shared.put(...args),
      get: async (...args) => resource.current().shared.get(...args),
      list: async (...args) => resource.current().shared.list(...args),
      update: async (...args) => resource.current().shared.update(...args),
      delete: async (...args) => resource.current().shared.delete(...args),
    },
    check: () => checkOf(resource),
    close,
    [Symbol.asyncDispose]: close,
  };
}
