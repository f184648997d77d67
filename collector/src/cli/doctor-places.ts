/**
 * @module DoctorPlaces: results of `turnproof doctor` for what a start needs beside its
 * configuration: the keys of the data directory, its journal, and the server of the store. Nothing
 * is made or changed.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { inspectJournal, readQuarantine, setAsideRanges } from "@turnproof/journal";
import { CodedError, codes } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";
import { clickhouseAdmin } from "@turnproof/store/admin";

import { checkSecret, fieldOf, lostSecrets, madeSecrets } from "../access/stable-secret.ts";
import { serverOf } from "../backend/backend.ts";
import { connectionOf } from "../backend/store-places.ts";
import { reasonWords } from "../backend/store-reason.ts";
import type { Config } from "../config/config.ts";
import { openArchive } from "./archive.ts";
import type { Check } from "./doctor-evidence.ts";
import { adviceOf } from "./failure.ts";

/** Keys that were made once; none where none was. */
export function keysCheck(dataDir: string): readonly Check[] {
  const check = "keys";
  let names: readonly string[];
  try {
    names = [...madeSecrets(dataDir), ...lostSecrets(dataDir)];
  } catch (error) {
    if (!CodedError.is(error)) throw error;
    return [{ check, state: "fail", message: `${sentenceOf(error.code)} (${error.field})` }];
  }
  const unusable = names.filter((name) => !isUsable(dataDir, name));
  if (names.length === 0) return [];
  if (unusable.length === 0) return [modesCheck(dataDir, names)];
  const files = unusable.map(fieldOf).join(", ");
  const code = "key_unusable";
  const message = `${code} (${files}): ${codes[code].sentence} ${adviceOf(code) ?? ""}`;
  return [{ check, state: "fail", message }];
}

/** Bits of a mode for users beside the owner and the group: read, write, and enter a folder. */
const others = { read: 0o4, write: 0o2, enter: 0o1 } as const;

/** Warns of keys that every user of the machine can read or replace; Windows has no such modes. */
function modesCheck(dataDir: string, names: readonly string[]): Check {
  const check = "keys";
  const can = (name: string, bits: number): boolean =>
    process.platform !== "win32" && (statSync(join(dataDir, name)).mode & bits) !== 0;
  const entered = [".", "keys"].map((folder) => can(folder, others.enter));
  // What is in a folder that only its owner enters is not reached.
  const open = [
    ...(entered[0] === true && can(".", others.write) ? ["."] : []),
    ...(entered.every(Boolean) && can("keys", others.write) ? ["keys"] : []),
    ...(entered.every(Boolean)
      ? names.map(fieldOf).filter((name) => can(name, others.read | others.write))
      : []),
  ];
  if (open.length === 0) return { check, state: "ok", message: "Each can be used." };
  const message =
    `Other users of this machine can read or replace keys (${open.join(", ")} in the data ` +
    "directory). Run `chmod -R o-rwx` on it.";
  return { check, state: "warn", message };
}

function isUsable(dataDir: string, name: string): boolean {
  try {
    checkSecret(dataDir, name);
    return true;
  } catch (error) {
    if (!CodedError.is(error)) throw error;
    return false;
  }
}

/** What is damaged or was set aside in the journal; none where there is no journal. */
export async function journalCheck(dataDir: string): Promise<readonly Check[]> {
  const folder = join(dataDir, "journal");
  if (!existsSync(folder)) return [];
  const check = "journal";
  const checks: Check[] = [];
  const { files, lostFrames } = setAsideRanges(readdirSync(folder));
  if (files.length > 0) {
    const message =
      `journal_corrupt: ${files.length} damaged ${files.length === 1 ? "range" : "ranges"} set aside ` +
      `(${named(files)}), with ${lostFrames} lost frames; see TurnproofJournalDamaged in ` +
      "docs/operate/alerts.md.";
    checks.push({ check, state: "warn", message });
  }
  checks.push(...(await damageCheck(folder)));
  let quarantined = 0;
  for await (const record of readQuarantine(folder)) if (record.id !== "") quarantined += 1;
  if (quarantined > 0) {
    const message = `${quarantined} ${quarantined === 1 ? "record" : "records"} in quarantine; \`turnproof journal list\` has the reasons.`;
    checks.push({ check, state: "warn", message });
  }
  return checks.length > 0 ? checks : [{ check, state: "ok", message: "Nothing was set aside." }];
}

function named([first = "none named", ...others]: readonly string[]): string {
  const name = `journal/${first}`;
  return others.length === 0 ? name : `${name} and ${others.length} more`;
}

/** Damage that no start has found yet; none while a collector uses the journal. */
async function damageCheck(folder: string): Promise<readonly Check[]> {
  const check = "journal";
  try {
    const found = await inspectJournal(folder);
    if (found === undefined || found.ranges + found.missingSegments === 0) return [];
    const message =
      `journal_corrupt: ${found.ranges} damaged ${found.ranges === 1 ? "range" : "ranges"} in ` +
      `segments (${named(found.segments)}), with ${found.lostFrames} lost frames; the next ` +
      "start sets them aside. Restore the journal from a copy first, where there is one; see " +
      "TurnproofJournalDamaged in docs/operate/alerts.md.";
    return [{ check, state: "fail", message }];
  } catch (error) {
    if (!CodedError.is(error)) throw error;
    const of = error.field === undefined ? "" : ` (${error.field})`;
    const message = `${error.code}${of}: ${codes[error.code].sentence} ${adviceOf(error.code, error.field) ?? ""}`;
    return [{ check, state: "fail", message: message.trimEnd() }];
  }
}

/** Whether the server of the store answers; none without a server. */
export async function serverCheck(config: Config): Promise<readonly Check[]> {
  const host = serverOf(config);
  if (host === undefined) return [];
  const check = "store";
  try {
    if (config.backend === "clickhouse") {
      await using _admin = await clickhouseAdmin({
        connection: connectionOf(config),
        mayChange: false,
      });
    } else {
      const archive = await openArchive(config, "evidence", { mayChange: false });
      await using _opened = archive;
      const found = await archive?.evidence.check();
      if (found?.ok === false) {
        const { code = "store_unavailable", reason } = found;
        throw new CodedError(code as Code, reason === undefined ? {} : { field: reason });
      }
    }
    return [{ check, state: "ok", message: `${host} answers.` }];
  } catch (error) {
    if (!CodedError.is(error)) throw error;
    if (error.code === "not_configured") {
      return [
        { check, state: "ok", message: `${host} answers; its tables are made at the start.` },
      ];
    }
    const message = `${error.code}: ${host}: ${reasonWords({ code: error.code, field: error.field, isServer: true })}.`;
    return [{ check, state: "fail", message }];
  }
}

function sentenceOf(code: Code): string {
  return `${code}: ${codes[code].sentence}`;
}
