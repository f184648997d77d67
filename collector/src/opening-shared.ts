/**
 * @module OpeningShared: opens what all collectors of one store share, or one has alone: sessions,
 * the streams that end with them, and alerts.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { CollectorState, EvidenceStore } from "@turnproof/store";

import { asideSuffix } from "./access/ended-sessions.ts";
import { shareSessions } from "./access/session-share.ts";
import { createSessions } from "./access/sessions.ts";
import { createStreams } from "./access/streams.ts";
import { fileStorage, sharedKeep } from "./alerts/alert-storage.ts";
import { alertsFile } from "./alerts/erase-alerts.ts";
import { startAlerts } from "./alerts/alerts.ts";
import { serverOf } from "./backend/backend.ts";
import { watchAccounts } from "./config/accounts.ts";
import { watchAlertRules } from "./config/alert-rules.ts";
import { openPriceList } from "./cost/price-list.ts";
import type { Opening } from "./opening-options.ts";
import type { Alerts, Parts } from "./parts.ts";
import type { Receiver } from "./receive/otlp/receiver-contract.ts";
import { collectorName, shareLosses } from "./receive/shared-losses.ts";

/**
 * What this collector shares with others of its store. A store in this process or its data
 * directory has no others.
 */
function sharedState(
  { config, options }: Pick<Opening, "config" | "options">,
  store: EvidenceStore,
): CollectorState | undefined {
  const alone = options.store !== undefined || serverOf(config) === undefined;
  return alone ? undefined : store.state;
}

/** Sign-outs that the shared store has not taken. */
const endedFile = "ended-sessions.json";

/** Longest wait for the losses of others at the start; without the store nothing is judged. */
const lossesWaitMs = 1_000;

/** The receiver; its losses are those of all collectors of a shared store. */
export async function withSharedLosses(
  { config, log, options, opened }: Pick<Opening, "config" | "log" | "options" | "opened">,
  store: EvidenceStore,
  receiver: Receiver,
): Promise<Receiver> {
  const state = sharedState({ config, options }, store);
  if (state === undefined) return receiver;
  const name = config.readOnly ? null : collectorName(config.dataDir);
  const shared = shareLosses(state, name, () => receiver.losses(), log);
  opened.push(async () => shared.close());
  // A store that is away answers later; no turn is judged before it does.
  await Promise.race([shared.exchange().catch(() => {}), sleep(lossesWaitMs)]);
  return { ...receiver, losses: () => shared.losses(), othersKnown: () => shared.known() };
}

/** Sessions, and the streams that end with them. */
export function openSessions(
  { config, log, options, opened, closing }: Opening,
  { keyring, credentials }: Pick<Parts, "keyring" | "credentials">,
  store: EvidenceStore,
): Pick<Parts, "sessions" | "streams"> {
  const now = options.now ?? Date.now;
  // In read-only mode nothing is written beside the evidence.
  const state = config.readOnly ? undefined : sharedState({ config, options }, store);
  const share =
    state === undefined
      ? undefined
      : shareSessions(state, join(config.dataDir, endedFile), () =>
          log.warn("ended_sessions_damaged", { file: `${endedFile}${asideSuffix}` }),
        );
  const lasting = config.backend !== "ephemeral" && share === undefined;
  const sessions = createSessions({
    keyring,
    now,
    ...(lasting ? { file: join(config.dataDir, "sessions.json") } : {}),
    ...(share === undefined ? {} : { share }),
  });
  if (share !== undefined) opened.push(() => share.close());
  const streams = createStreams({ sessions, credentials, closing });
  opened.push(async () => streams.close());
  if (config.accountsFile !== undefined) {
    const stop = watchAccounts(config.accountsFile, log, (accounts) => {
      const others = credentials.replaceAccounts(accounts);
      for (const name of others) sessions.endAll(name);
      streams.review();
      log.info("accounts_changed", { accounts: accounts.length, ended: others.length });
    });
    opened.push(async () => stop());
  }
  return { sessions, streams };
}

/** Alerts write beside the evidence, so read-only mode has none. */
export async function openAlerts(
  { config, log, options, opened }: Opening,
  parts: Parts,
  store: EvidenceStore,
): Promise<Alerts | undefined> {
  if (config.readOnly) return undefined;
  const { host, port, basePath, origins, alertRules, alertTargets, alertSecret } = config;
  const { rules, file: rulesFile } = alertRules;
  const origin = origins[0] ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const prices = await openPriceList(config.prices);
  const kept = config.backend === "ephemeral" ? undefined : alertsFile(config.dataDir);
  const state = sharedState({ config, options }, store);
  const shares = state !== undefined && rulesFile !== undefined;
  const alerts = await startAlerts(
    { ...parts, store: parts.untimed, prices },
    {
      rules,
      rulesChange: rulesFile !== undefined,
      targets: alertTargets,
      secret: alertSecret,
      scope: config.auditScope,
      base: `${origin}${basePath === "/" ? "" : basePath}`,
      keep: shares
        ? sharedKeep(state, config.auditScope, kept === undefined ? {} : { file: kept })
        : fileStorage(kept),
    },
  );
  opened.push(() => alerts.close());
  parts.ledger?.listen((sinceMs) => alerts.wake(sinceMs));
  if (rulesFile !== undefined) {
    const stop = watchAlertRules({
      path: rulesFile,
      rules,
      names: { targets: alertTargets, contracts: config.contracts !== undefined },
      log,
      now: parts.now,
      changed: (replaced) => alerts.replaceRules(replaced),
      refused: (refused) => alerts.refuseRules(refused),
    });
    opened.push(async () => stop());
  }
  return alerts;
}
