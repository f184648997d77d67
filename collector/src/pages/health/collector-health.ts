/** @module CollectorHealth: state of this collector, for Health. No row of the store is read. */
import { auditState } from "../../access/audit/audit-state.ts";
import type { AuditState } from "../../access/audit/audit-state.ts";
import { verifierKeyOf } from "../../access/audit/checkpoint.ts";
import { reasonWords } from "../../backend/store-reason.ts";
import { timedCheck } from "../../backend/timed-store.ts";
import type { RefusedRules } from "../../config/alert-rules.ts";
import type { Parts } from "../../parts.ts";
import type { IngestReport } from "../../receive/ingest.ts";

/** State of this collector; null for a principal bound to a tenant or an application. */
export interface CollectorHealth {
  readonly store: {
    readonly name: string;
    readonly ok: boolean;
    readonly code: string | null;
    /** Its server, without credentials; null without one. */
    readonly host: string | null;
    /** Why it does not answer, in words; null while it does. */
    readonly reason: string | null;
    readonly elapsed_ms: number;
  };
  /** The memory for pages and reveals; null without a configured one. */
  readonly memory: {
    readonly name: string;
    readonly ok: boolean;
    readonly code: string | null;
    /** Codes of misconfigurations, e.g. `vector_index_unscoped`. */
    readonly diagnostics: readonly string[];
  } | null;
  readonly ingest: IngestReport;
  readonly audit: AuditState;
  /** Verifier key of its checkpoints; null where the data directory has none. */
  readonly audit_key: string | null;
  readonly pseudonyms_stable: boolean;
  /** Whether quiet turns are judged here; in read-only mode nothing is written beside evidence. */
  readonly judge: "on" | "off_read_only";
  /** Why the present file of alert rules is not used; null while it is. */
  readonly alert_rules_refused: RefusedRules | null;
}

/** Reads it. */
export async function collectorHealth(parts: Parts): Promise<CollectorHealth> {
  const { audit, ingest, memory, pseudonyms, server, store } = parts;
  const [{ ok, code, reason, elapsedMs }, remembered] = await Promise.all([
    store.check(),
    memory === undefined ? undefined : timedCheck(memory),
  ]);
  const words = ok
    ? null
    : reasonWords({
        code: code ?? "internal_error",
        field: reason,
        isServer: server !== null,
      });
  const state = { ok, code: code ?? null, host: server, reason: words, elapsed_ms: elapsedMs };
  return {
    store: { name: store.name, ...state },
    memory:
      memory === undefined || remembered === undefined
        ? null
        : {
            name: memory.name,
            ok: remembered.ok,
            code: remembered.code ?? null,
            diagnostics: remembered.diagnostics ?? [],
          },
    ingest: ingest.report(),
    audit: auditState(audit),
    audit_key: auditKeyOf(parts.config),
    judge: parts.config.readOnly ? "off_read_only" : "on",
    pseudonyms_stable: pseudonyms.stable,
    alert_rules_refused: parts.alerts?.refused ?? null,
  };
}

function auditKeyOf(config: Parts["config"]): string | null {
  try {
    return verifierKeyOf(config) ?? null;
  } catch {
    // The key was damaged since the start, which `doctor` shows; Health works without it.
    return null;
  }
}
