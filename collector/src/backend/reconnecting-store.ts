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
async function lateCheck(
  late: Reconnecting<{ check(): Promise<CheckResult> }>,
): Promise<CheckResult> {
  const failure = late.failure();
  if (failure === undefined) {
    try {
      return await late.current().check();
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
  late: Reconnecting<EvidenceStore>,
): EvidenceStore {
  const close = (): Promise<void> => late.close();
  return {
    name,
    capabilities: capabilitiesOf(provider),
    sources: ["trace", "conversation", "tool_log"],
    ledger: lateLedger("store", () => late.current().ledger),
    operatorRows: {
      list: async (...requested) => late.current().operatorRows.list(...requested),
      write: async (row) => late.current().operatorRows.write(row),
      remove: async (of) => late.current().operatorRows.remove(of),
    },
    ...(capabilitiesOf(provider).includes("shared") ? { state: lateState(late) } : {}),
    append: async (batch) => late.current().append(batch),
    appendPrepared: async (batch) => late.current().appendPrepared(batch),
    readBack: async (id, receivedAt) => late.current().readBack(id, receivedAt),
    page: async (scope, query, options) => late.current().page(scope, query, options),
    bundles: async (scope, query, options) => late.current().bundles(scope, query, options),
    root: async (scope, root, options) => late.current().root(scope, root, options),
    roots: async (scope, roots, options) => late.current().roots(scope, roots, options),
    find: async (scope, id, query, options) => late.current().find(scope, id, query, options),
    quietRoots: async (since, before, limit) => late.current().quietRoots(since, before, limit),
    shortRoots: async (...requested) => late.current().shortRoots(...requested),
    standing: async (roots) => late.current().standing(roots),
    held: async (signal) => late.current().held(signal),
    readAll: async (signal) => {
      const store = late.current();
      if (store.readAll === undefined) throw new CodedError("not_configured");
      return store.readAll(signal);
    },
    check: () => lateCheck(late),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function lateState(late: Reconnecting<EvidenceStore>): CollectorState {
  const current = (): CollectorState => {
    const { state } = late.current();
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
export function reconnectingMemory(name: string, late: Reconnecting<MemoryStore>): MemoryStore {
  const close = (): Promise<void> => late.close();
  return {
    name,
    put: async (filter, kind, draft) => late.current().put(filter, kind, draft),
    get: async (filter, kind, id) => late.current().get(filter, kind, id),
    list: async (filter, kind, options) => late.current().list(filter, kind, options),
    count: async (filter, kind) => late.current().count(filter, kind),
    update: async (...args) => late.current().update(...args),
    delete: async (filter, kind, id) => late.current().delete(filter, kind, id),
    vectorSearch: async (filter, kind, query) => late.current().vectorSearch(filter, kind, query),
    textSearch: async (filter, kind, query) => late.current().textSearch(filter, kind, query),
    shared: {
      put: async (...args) => late.current().shared.put(...args),
      get: async (...args) => late.current().shared.get(...args),
      list: async (...args) => late.current().shared.list(...args),
      update: async (...args) => late.current().shared.update(...args),
      delete: async (...args) => late.current().shared.delete(...args),
    },
    check: () => lateCheck(late),
    close,
    [Symbol.asyncDispose]: close,
  };
}
