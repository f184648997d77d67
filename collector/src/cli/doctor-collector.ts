/**
 * @module DoctorCollector: results of `turnproof doctor` for the collector that runs on a data
 * directory: whether it answers, and what it reports of a store that only it can open.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { ownerOf } from "@turnproof/journal/process-lock";
import type { DirectoryOwner } from "@turnproof/journal/process-lock";

import { serverOf } from "../backend/backend.ts";
import { damageOf, damageTexts } from "../backend/store-damage.ts";
import type { StoreReadiness } from "../backend/store-readiness.ts";
import { readClientConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import { createStatementSigner } from "../judge/statement.ts";
import type { HealthModel } from "../pages/health/route.ts";
import type { IngestReport } from "../receive/ingest.ts";
import { createClient, Refusal } from "./client.ts";
import {
  accountSubject,
  asideCheck,
  partsCheck,
  restore,
  restoreServer,
  turnsSubject,
} from "./doctor-account.ts";
import { tracesText } from "./doctor-evidence.ts";
import type { Check } from "./doctor-evidence.ts";

/** The collector that runs on this data directory, from the lock of its journal. */
export function collectorOn(dataDir: string): DirectoryOwner | undefined {
  try {
    return ownerOf(readdirSync(join(dataDir, "journal")));
  } catch {
    // Without a journal no collector ran here; one that cannot be read has a check of its own.
    return undefined;
  }
}

/** The collector in words, such as `A running collector (process 12)`. */
function collectorTexts({ pid }: DirectoryOwner): string {
  return pid === null
    ? "A collector in another container or on another host"
    : `A running collector (process ${pid})`;
}

/** Where the commands look for the collector; else where this configuration serves. */
function addressOf(config: Config): string {
  const { url, urlSet } = readClientConfig({});
  if (urlSet) return url.replace(/\/$/, "");
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const base = config.basePath === "/" ? "" : config.basePath;
  return `http://${host}:${config.port}${base}`;
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "its address");

/** Whether it is ready. @param owner of the data directory */
export async function collectorCheck(
  config: Config,
  owner: DirectoryOwner | undefined,
): Promise<Check> {
  const check = "collector";
  const address = addressOf(config);
  try {
    const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(2_000) });
    if (!answer.ok) {
      return {
        check,
        state: "warn",
        message: "It responds but accepts no spans; see its health view.",
      };
    }
    const store = await fetch(`${answer.url}/store`, { signal: AbortSignal.timeout(4_000) });
    if (store.ok) return { check, state: "ok", message: "It runs and is ready." };
    const { code } = (await store.json()) as StoreReadiness;
    const message = `It takes spans, and its store does not take them (${code ?? "unknown"}).`;
    return { check, state: "warn", message };
  } catch {
    if (owner === undefined) {
      return { check, state: "ok", message: "None runs at this address; `turnproof` starts one." };
    }
    const message =
      `${collectorTexts(owner)} uses the data directory, and none answers at ` +
      `${originOf(address)}; name its address with TURNPROOF_URL.`;
    return { check, state: "unknown", message };
  }
}

/** Whether only one process can open the store: an engine in the data directory. */
export function opensAlone(config: Config): boolean {
  const isEngine = config.backend === "clickhouse" || config.backend === "postgres";
  return isEngine && serverOf(config) === undefined;
}

/** What a collector reports of the store that it has open; as a check where it is not known. */
export async function heldStoreChecks(
  config: Config,
  owner: DirectoryOwner,
): Promise<readonly Check[]> {
  const aside = asideCheck(config.dataDir);
  const found = await reportOf(config);
  if (typeof found !== "string") return [...reportedChecks(found), ...aside];
  const message =
    `${collectorTexts(owner)} has the store open, so it was not inspected: parts, turns and events ` +
    `that are damaged or gone are unknown. ${found} Or stop the collector and run this again.`;
  return [{ check: "store", state: "unknown", message }, ...aside];
}

/**
 * What reads of the collector met on a server, of which doctor reads no rows; none where the
 * collector does not answer.
 */
export async function metDamageChecks(
  config: Config,
  owner: DirectoryOwner | undefined,
): Promise<readonly Check[]> {
  if (owner === undefined || serverOf(config) === undefined) return [];
  const found = await reportOf(config);
  return typeof found === "string" ? [] : damageChecks(found, true);
}

/** A large ledger may take a while. */
const healthMs = 20_000;

/** The report of the collector on this data directory; a sentence why there is none. */
async function reportOf(config: Config): Promise<IngestReport | string> {
  const address = addressOf(config);
  const origin = originOf(address);
  const client = createClient({ url: address });
  const read = async <T>(path: string): Promise<T> =>
    (await (await client.answer(path, {}, AbortSignal.timeout(healthMs))).json()) as T;
  try {
    const { keys } = await createStatementSigner(config.signingKey, config.dataDir);
    const kids = (await read<typeof keys>("/.well-known/jwks.json")).keys.map(({ kid }) => kid);
    if (!keys.keys.some(({ kid }) => kids.includes(kid))) {
      return `The collector at ${origin} has another data directory: name the address of this one's with TURNPROOF_URL.`;
    }
    const { collector } = await read<HealthModel>("/traces/health.json?limit=1");
    return (
      collector?.ingest ??
      `The token for ${origin} is bound to a tenant or an application: name another with TURNPROOF_TOKEN.`
    );
  } catch (error) {
    if (!(error instanceof Refusal)) return `The collector at ${origin} did not answer in time.`;
    if (error.code === "unreachable") {
      return `No collector answers at ${origin}: name its address with TURNPROOF_URL.`;
    }
    if (error.status === 401 || error.status === 403) {
      return `The collector at ${origin} refuses the token (${error.code}): name one with TURNPROOF_TOKEN.`;
    }
    return `The collector at ${origin} did not answer (${error.code}).`;
  }
}

/** Damage that the collector's reads met. */
function damageChecks({ damaged }: IngestReport, isServer: boolean): readonly Check[] {
  const checks: Check[] = [];
  const command = isServer ? restoreServer : restore;
  const store = damageOf({ code: "store_corrupt", field: damaged.store ?? "", isServer });
  if (damaged.store !== null && store !== undefined) {
    const message = `store_corrupt: ${damageTexts(store)}.`;
    checks.push({ check: "store", state: "fail", message });
  }
  if (damaged.traces > 0) {
    const traces = tracesText(damaged.traces, damaged.roots_named);
    const message = `store_corrupt: rows of ${traces} cannot be decoded; ${command}.`;
    checks.push({ check: turnsSubject, state: "fail", message });
  }
  return checks;
}

/** The checks that doctor makes of a store that no collector has open, from a report. */
function reportedChecks(report: IngestReport): readonly Check[] {
  const checks: Check[] = [...damageChecks(report, false)];
  const { missing } = report;
  if (missing === null) {
    const message = "The collector has not compared its evidence yet.";
    return [...checks, { check: accountSubject, state: "unknown", message }];
  }
  const { parts, parts_set_aside: aside, roots_missing: roots, rows_missing: rows } = missing;
  checks.push(
    partsCheck(
      aside,
      parts.map(({ path }) => path),
    ),
  );
  if (roots === null) {
    const message = "The collector compares turns with their evidence now.";
    checks.push({ check: turnsSubject, state: "unknown", message });
  } else if (roots > 0) {
    const traces = tracesText(roots, missing.roots_named);
    const message = `evidence_missing: ${rows} rows that turns rest on are gone without a deletion, in ${traces}; ${restore}.`;
    checks.push({ check: turnsSubject, state: "fail", message });
  }
  const { events_missing: events } = missing;
  if (events === null) return checks;
  const message =
    events === 0
      ? "The store holds the events of its account, by the collector's Health."
      : `evidence_missing: ${events} stored events are gone without a deletion; ${restore}.`;
  return [...checks, { check: accountSubject, state: events === 0 ? "ok" : "fail", message }];
}
