/**
 * @module Accounts: named accounts, from the variable itself or from a file. The file is read
 * again when it changes, so that revoking an account or changing its role needs no restart.
 */
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { resolve } from "node:path";

import type { IdentityOptions } from "@turnproof/semconv";
import { z } from "zod";

import type { Role } from "../access/principal.ts";
import { isExample, issueSentence, text, token } from "./config-values.ts";
import type { Log } from "../log.ts";

/** A named account of `TURNPROOF_UI_ACCOUNTS`; `userId: null` is bound to the anonymous rows. */
export interface Account {
  readonly name: string;
  readonly token: string;
  readonly role: Role;
  readonly applicationId?: IdentityOptions["applicationId"];
  readonly userId?: IdentityOptions["userId"];
}

/** Accounts, and their file, if any. */
export interface AccountsValue {
  readonly accounts: readonly Account[];
  readonly file?: string | undefined;
}

/** A role by its name. */
export const roleName = z.enum(["viewer", "analyst", "operator", "admin"], "unknown role");

const table = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/i),
  z.strictObject({
    token,
    role: roleName,
    application_id: text.optional(),
    user_id: z.union([text, z.null()]).optional(),
  }),
);

/** The variable: JSON, or the path of a file of JSON. */
export const accountsIn = text.transform((value, context): AccountsValue => {
  const file = value.startsWith("{") ? undefined : resolve(value);
  try {
    return { accounts: accountsOf(file === undefined ? value : readFileSync(file, "utf8")), file };
  } catch (error) {
    const issues = error instanceof z.ZodError ? error.issues.map(issueSentence) : [unreadable];
    for (const message of issues) context.addIssue({ code: "custom", message });
    return z.NEVER;
  }
});

const unreadable = "neither JSON nor a readable JSON file";

/** @throws SyntaxError or ZodError */
function accountsOf(json: string): readonly Account[] {
  return Object.entries(table.parse(JSON.parse(json))).map(([name, row]) => ({
    name,
    token: row.token,
    role: row.role,
    ...(row.application_id === undefined ? {} : { applicationId: row.application_id }),
    ...(row.user_id === undefined ? {} : { userId: row.user_id }),
  }));
}

/** How often the file is checked, in milliseconds. */
const lookMs = 1_000;

/**
 * Passes on the accounts of a file each time it has changed. A file that cannot be read, or has a
 * duplicate or an example token, changes nothing and is logged. Returns the function that stops
 * it.
 */
export function watchAccounts(
  file: string,
  log: Log,
  changed: (accounts: readonly Account[]) => void,
): () => void {
  const look = (): void => {
    try {
      const accounts = accountsOf(readFileSync(file, "utf8"));
      const tokens = new Set(accounts.map((account) => account.token));
      if (tokens.size < accounts.length || [...tokens].some(isExample)) throw new RangeError();
      changed(accounts);
    } catch {
      // The accounts of before stay; the error is not logged, since it may quote a token.
      log.warn("accounts_unreadable");
    }
  };
  watchFile(file, { interval: lookMs, persistent: false }, look);
  return () => unwatchFile(file, look);
}
