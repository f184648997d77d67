/**
 * @module DoctorAccount: results of `turnproof doctor` for the signed account of stored events, for
 * the turns of the ledger beside the rows that they rest on, and for the parts of an embedded
 * ClickHouse.
 */
import { existsSync, readdirSync } from "node:fs";

import { CodedError, isoNow } from "@turnproof/semconv";
import { lookAtParts } from "@turnproof/store/admin";
import type { HeldEvents } from "@turnproof/store";

import { openStore, serverOf } from "../backend/backend.ts";
import { damageOf, damageTexts } from "../backend/store-damage.ts";
import { connectionOf, evidenceFolder, partPath, serverPlaceOf } from "../backend/store-places.ts";
import type { Config } from "../config/config.ts";
import {
  hasAccount,
  hasDamagedAccount,
  missingSince,
  readAccount,
} from "../judge/evidence-account.ts";
import type { EvidenceAccount } from "../judge/evidence-account.ts";
import { compareEvidence } from "../judge/evidence-check.ts";
import type { ComparedEvidence } from "../judge/evidence-check.ts";
import { createStatementSigner } from "../judge/statement.ts";
import { tracesText } from "./doctor-evidence.ts";
import type { Check } from "./doctor-evidence.ts";

/** Subject of the count of events. */
export const accountSubject = "evidence account";
/** Subject of the comparison of turns with their rows. */
export const turnsSubject = "evidence of turns";

const check = accountSubject;
const nothing: HeldEvents = { events: 0, deletions: 0 };
/** What helps, as a part of a sentence. */
export const restore = "restore the data directory from a backup (turnproof restore)";
/** The same for a server. */
export const restoreServer = "restore the database from a backup";

/** Compares the account with the store, on a server too; none where no account was written. */
export async function accountChecks(config: Config): Promise<readonly Check[]> {
  const aside = asideCheck(config.dataDir);
  if (!hasAccount(config.dataDir)) return aside;
  return [...(await comparedChecks(config)), ...aside];
}

/** An account that a start set aside; none where none was. */
export function asideCheck(dataDir: string): readonly Check[] {
  if (!hasDamagedAccount(dataDir)) return [];
  const message =
    "An account was damaged, and a new one began: whether events were gone before is unknown. Move " +
    "evidence-account.jws.corrupt away once this is known.";
  return [{ check, state: "warn", message }];
}

async function comparedChecks(config: Config): Promise<readonly Check[]> {
  try {
    const { held, parts, isUnread = false } = await heldBy(config);
    return [...parts, ...(await accountCheck(config, held, isUnread))];
  } catch (error) {
    if (!CodedError.is(error)) throw error;
    const isUsed = error.code === "store_locked" || error.code === "store_busy";
    if (!isUsed) return [{ check, state: "fail", message: failureOf(error, config) }];
    const message =
      `${error.code}: another process has the store open, so what is damaged or gone is unknown. ` +
      "Run this again once it has ended.";
    return [{ check, state: "unknown", message }, ...(await accountCheck(config, undefined))];
  }
}

function failureOf({ code, field, message }: CodedError, config: Config): string {
  const damage = damageOf({ code, field, isServer: serverOf(config) !== undefined });
  return damage === undefined ? message : `${code}: ${damageTexts(damage)}.`;
}

const notCompared: Check = {
  check: turnsSubject,
  state: "unknown",
  message:
    "Turns and events were not compared, because the damaged parts cannot be read. The next start " +
    "sets them aside and compares the rest.",
};

interface HeldLook {
  /** Undefined where the store cannot be read. */
  readonly held: HeldEvents | undefined;
  readonly parts: readonly Check[];
  /** True where the count has rows of damaged parts, which a start will set aside. */
  readonly isUnread?: boolean;
}

/**
 * What the store holds where it can be read, and checks of its parts. A folder that is not there is
 * not made.
 */
async function heldBy(config: Config): Promise<HeldLook> {
  const isServer = serverOf(config) !== undefined;
  const connection = config.backend === "clickhouse" ? connectionOf(config) : undefined;
  if (!isServer && connection !== undefined && "dataDir" in connection) {
    if (isEmpty(connection.dataDir)) return { held: nothing, parts: [] };
    const look = await lookAtParts(connection.dataDir, compareNow);
    const paths = look.damaged.map(({ table, part, isAside }) => partPath(table, part, isAside));
    const parts = partsCheck(paths.length, paths);
    if (look.read === undefined) return { held: undefined, parts: [parts, notCompared] };
    const { held, compared } = look.read;
    const isUnread = look.damaged.some(({ isAside }) => !isAside);
    return { held, parts: [parts, ...turnsCheck(compared, restore)], isUnread };
  }
  if (config.backend === "filesystem" && isEmpty(evidenceFolder(config))) {
    return { held: nothing, parts: [] };
  }
  await using store = await openStore({ ...config, readOnly: true }, { readOnly: true });
  const compared = await compareNow(store);
  return {
    held: await store.held(),
    parts: turnsCheck(compared, isServer ? restoreServer : restore),
  };
}

const compareNow = (store: Parameters<typeof compareEvidence>[0]): Promise<ComparedEvidence> =>
  compareEvidence(store, { signal: new AbortController().signal, pauseMs: 0 });

/** Turns that rest on more rows than there are; none where each rests on all of its rows. */
function turnsCheck(found: ComparedEvidence, command: string): readonly Check[] {
  const { roots, roots_missing: count, rows_missing: rows } = found;
  if (count === 0) return [];
  const message =
    `evidence_missing: ${rows} rows that turns rest on are gone without a deletion, in ` +
    `${tracesText(count, roots)}; ${command}.`;
  return [{ check: turnsSubject, state: "fail", message }];
}

function isEmpty(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).length === 0;
}

/** @param paths of the first of them, below the data directory */
export function partsCheck(count: number, paths: readonly string[]): Check {
  const subject = "clickhouse parts";
  if (count === 0) return { check: subject, state: "ok", message: "Each is whole." };
  const more = count > paths.length ? ` and ${count - paths.length} more` : "";
  const are = count === 1 ? "part is" : "parts are";
  const message =
    `store_corrupt: ${count} ${are} damaged and not served (${paths.join("; ")}${more}); ` +
    `${restore}. A start sets them aside in the folder detached of their table: remove them there ` +
    "once the loss is accepted.";
  return { check: subject, state: "fail", message };
}

/**
 * @param held undefined where the store could not be read
 * @param isUnread where it counts rows of damaged parts
 */
async function accountCheck(
  config: Config,
  held: HeldEvents | undefined,
  isUnread = false,
): Promise<readonly Check[]> {
  const signer = await createStatementSigner(config.signingKey, config.dataDir);
  const place = serverPlaceOf(config, serverOf(config));
  const account = await readAccount(config.dataDir, signer, place);
  if (account === "none") return [];
  if (account === "unusable") {
    const message =
      "evidence-account.jws is damaged, or another key signed it: whether events are gone is unknown. " +
      "Restore it with the data directory from a backup (turnproof restore); else the next start sets " +
      "it aside and begins a new one.";
    return [{ check, state: "fail", message }];
  }
  const missing = held === undefined ? account.missing : missingSince(account, held, isoNow());
  if (missing === 0 && isUnread) return [{ check, state: "unknown", message: countedOf(account) }];
  if (missing === 0)
    return held === undefined ? [] : [{ check, state: "ok", message: wholeOf(account) }];
  const message =
    `evidence_missing: ${missing} stored events are gone without a deletion, by the account of ` +
    `${account.at}; ${place === undefined ? restore : restoreServer}, or move evidence-account.jws away to begin a new account.`;
  return [{ check, state: "fail", message }];
}

const wholeOf = ({ events, at }: EvidenceAccount): string =>
  `The store holds the ${events} events of ${at}, or knows of their deletion.`;

const countedOf = ({ events, at }: EvidenceAccount): string =>
  `The count fits the ${events} events of ${at}, but damaged parts are counted by their metadata ` +
  "alone: how many of their events are gone is unknown. The next start sets the parts aside and " +
  "counts the rest.";
