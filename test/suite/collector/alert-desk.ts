/** @module AlertDesk: alerts over a store with a clock of the test's. */
import { recordStored } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { parseConfig } from "turnproof";

import { fileStorage } from "../../../collector/src/alerts/alert-storage.ts";
import { startAlerts } from "../../../collector/src/alerts/alerts.ts";
import type { AlertOptions } from "../../../collector/src/alerts/alert-options.ts";
import type { Alerts } from "../../../collector/src/parts.ts";
import type { PreviewParts } from "../../../collector/src/alerts/preview.ts";
import { parseAlertRules } from "../../../collector/src/config/alert-rules.ts";
import { openPriceList } from "../../../collector/src/cost/price-list.ts";
import { secret } from "./alert-receiver.ts";
import { judgeTurns, quiet, turnEvents } from "./desk.ts";

/** A clock of the test's. */
export interface Clock {
  ms: number;
}

/** Parts that a measure and a preview read, over a store; nothing of its past is recorded. */
export async function measureParts(store: EvidenceStore, clock: Clock): Promise<PreviewParts> {
  const report = { journal: { oldest_pending_at: null } };
  return {
    config: parseConfig({ TURNPROOF_BACKEND: "ephemeral" }),
    log: quiet,
    store,
    recorder: undefined,
    server: null,
    now: () => clock.ms,
    ingest: {
      mark: () => new Date(clock.ms).toISOString(),
      report: () => report,
      losses: () => ({ quarantined_roots: [], losses: [] }),
    } as unknown as PreviewParts["ingest"],
    damage: { report: () => ({ store: null, traces: 0, located: true }) },
    history: { folder: "/nonexistent", recent: () => [] },
    prices: await openPriceList(undefined),
  };
}

/** Alerts that look every 20 ms. */
export async function openAlerts(
  store: EvidenceStore,
  clock: Clock,
  of: { readonly rules: string; readonly file?: string } & Pick<
    AlertOptions,
    "targets" | "keep" | "rulesChange" | "everyMs"
  > &
    Partial<Pick<PreviewParts, "log">>,
): Promise<Alerts> {
  const { rules, file, log = quiet, ...options } = of;
  return startAlerts(
    { ...(await measureParts(store, clock)), log },
    {
      rules: parseAlertRules(`version: 1\nrules:\n${rules}`),
      secret,
      scope: "test",
      base: "https://turnproof.test",
      everyMs: 20,
      keep: fileStorage(file),
      ...options,
    },
  );
}

let batches = 0;
/** Puts turns with a verdict, received then. */
export async function putTurns(
  store: EvidenceStore,
  atMs: number,
  turns: readonly {
    readonly root: string;
    readonly agent?: string;
    readonly verdict?: string;
    readonly codes?: readonly string[];
    /** Names of results, `contract:order=violated`. */
    readonly contracts?: readonly string[];
    readonly failed?: boolean;
    readonly tookMs?: number;
  }[],
): Promise<void> {
  const at = new Date(atMs).toISOString();
  for (const {
    root,
    agent = "helper",
    verdict,
    codes = [],
    contracts,
    failed,
    tookMs = 5,
  } of turns) {
    const events = turnEvents({ root, agent, at }).map((event) => ({
      ...event,
      duration_ms: tookMs,
      ...(failed === true && event.event_kind === "tool_call" ? { status: "error" as const } : {}),
    }));
    const receivedAt = at.replace("Z", "000Z");
    await store.append({ batchId: `alerts-${++batches}`, receivedAt, events });
    await recordStored(store, allTenants, [root]);
    if (verdict !== undefined) {
      await judgeTurns(store, [root], { verdict, finding_codes: codes }, contracts);
    }
  }
}
