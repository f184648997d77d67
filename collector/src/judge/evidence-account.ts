/**
 * @module EvidenceAccount: a signed account, in the data directory, of how many events the store
 * beside it holds. Fewer of them without a deletion mean that evidence is gone, though the turns
 * that rested on it went with it: a folder that was removed, parts that the engine set aside.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { replaceFile } from "@turnproof/journal";
import { isoNow } from "@turnproof/semconv";
import type { EvidenceStore, HeldEvents } from "@turnproof/store";
import { compactVerify, createLocalJWKSet } from "jose";
import { z } from "zod";

import type { StatementSigner } from "./statement.ts";

const typ = "turnproof-evidence-account+json";
const fileName = "evidence-account.jws";

const schema = z.strictObject({
  v: z.literal(1),
  /** Events that the store had. */
  events: z.int().nonnegative(),
  /** Events that were gone by then. */
  missing: z.int().nonnegative(),
  /** When they were counted, ISO 8601 UTC. */
  at: z.string(),
  /** Deletions by then. */
  deletions: z.int().nonnegative(),
});

/** What the store had when it was last counted. */
export type EvidenceAccount = z.infer<typeof schema>;

/** The account of a data directory: `none` where it was never written. */
export async function readAccount(
  dataDir: string,
  signer: Pick<StatementSigner, "keys">,
): Promise<EvidenceAccount | "none" | "unusable"> {
  // Without the file there is no account.
  const text = await readFile(join(dataDir, fileName), "utf8").catch(() => undefined);
  if (text === undefined) return "none";
  try {
    const { payload, protectedHeader } = await compactVerify(text, createLocalJWKSet(signer.keys));
    if (protectedHeader.typ !== typ) return "unusable";
    return schema.parse(JSON.parse(new TextDecoder().decode(payload)));
  } catch {
    return "unusable";
  }
}

/** Whether an account was written. */
export function hasAccount(dataDir: string): boolean {
  return existsSync(join(dataDir, fileName));
}

/** Compares the account with what the store holds, and keeps it. */
export interface AccountKeeper {
  /** Counts once; answers with the events that are gone. @throws CodedError of the store */
  count(signal?: AbortSignal): Promise<number>;
  /** Whether an account lay there that this collector did not sign. */
  readonly wasUnusable: boolean;
}

/** Opens the account of a data directory. @param keeps false where nothing may be written */
export async function openAccount(
  of: { readonly dataDir: string; readonly signer: StatementSigner; readonly keeps: boolean },
  store: Pick<EvidenceStore, "held">,
): Promise<AccountKeeper> {
  const found = await readAccount(of.dataDir, of.signer);
  let account = typeof found === "string" ? undefined : found;
  let isFirst = true;
  let last: Promise<unknown> = Promise.resolve();
  const count = async (signal?: AbortSignal): Promise<number> => {
    const held = await store.held(signal);
    const missing = account === undefined ? 0 : missingSince(account, held, isFirst);
    isFirst = false;
    account = { v: 1, ...held, missing, at: isoNow() };
    if (of.keeps) {
      const text = await of.signer.signAs(typ, account);
      await replaceFile(join(of.dataDir, fileName), Buffer.from(text));
    }
    return missing;
  };
  return {
    wasUnusable: found === "unusable",
    count(signal) {
      // One at a time: the file is replaced, and a failure is its own caller's.
      const done = last.catch(() => {}).then(() => count(signal));
      last = done;
      return done;
    },
  };
}

/**
 * Events that are gone, by an account and a count. After a deletion it is not known how many
 * events should be there, so the count is where the account goes on. A store that lost its
 * deletions too is another one.
 */
export function missingSince(
  account: Pick<EvidenceAccount, "events" | "deletions" | "missing">,
  { events, deletions }: HeldEvents,
  isFirst: boolean,
): number {
  if (deletions > account.deletions) return account.missing;
  if (events < account.events) return account.missing + account.events - events;
  // As much came back between two processes: the folder was restored.
  if (isFirst && account.missing > 0 && events - account.events >= account.missing) return 0;
  return account.missing;
}
