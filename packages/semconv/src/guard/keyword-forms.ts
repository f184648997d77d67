/**
 * @module Keyword forms: secrets that say so (`password=…`, `Bearer …`), and a random tail after a
 * telling prefix.
 */
import { entropy } from "./bare-secrets.ts";

/** `password=…`, `api_key: …`, `AccountKey=…`. */
const keywordPattern: RegExp =
  /(?:passw(?:or)?d|passphrase|pwd|secret|token|api[ _.-]?key|access[ _.-]?key|account[ _.-]?key|private[ _.-]?key|genie[ _.-]?key|shared[ _.-]?key|credentials?|authorization)["']? ?([:=]) ?([^\s=:]{1,240})/i;

/** `auth=…` and `sig=…` are words of a query string; with a colon they are ordinary labels. */
const queryKeywordPattern: RegExp = /(?:^|[^A-Za-z])(?:auth|sig|dsn|pin|otp)=[^\s=]/i;

/** `Bearer …` and `Basic …` with something that is no word. */
const schemeWordPattern: RegExp =
  /(?:^|[^A-Za-z])(?:bearer|basic|digest) ([A-Za-z0-9._~+/=-]{8,240})/i;

/** A prefix that says key or secret, then one run of letters and digits. */
const prefixedPattern: RegExp =
  /(?:^|[^A-Za-z0-9])(?:secret|api[_-]?key|token|passw(?:or)?d|(?:access|auth|refresh)[_-]token|client[_-]secret|(?:private|access)[_-]key|bearer)[_.:-]([A-Za-z0-9+/]{16,240})/i;

/** What a colon may be followed by without telling a secret. */
const plainStates: ReadonlySet<string> = new Set(
  (
    "missing expired invalid required reset changed wrong incorrect weak unset empty null none redacted " +
    "refused rejected rotated revoked valid ok unknown unsupported limit limited count usage budget"
  ).split(" "),
);

/** After an equals sign anything is told; after a colon only what is no state and no plain word. */
function tells(text: string, keyword: RegExpExecArray): boolean {
  if (keyword[1] === "=") return true;
  const told = (keyword[2] ?? "").toLowerCase();
  const glued = /[A-Za-z0-9]/.test(text.charAt(keyword.index - 1));
  if (glued || plainStates.has(told)) return false;
  return !/^[a-z_]+$/.test(told) || /passw|pwd|passphrase/i.test(keyword[0]);
}

/** True when the text names a secret and goes on to tell it. */
export function hasKeywordForm(text: string): boolean {
  const keyword = keywordPattern.exec(text);
  if (keyword !== null && tells(text, keyword)) return true;
  if (queryKeywordPattern.test(text)) return true;
  const word = schemeWordPattern.exec(text)?.[1];
  return word !== undefined && /\d/.test(word) && /[A-Za-z]/.test(word);
}

/** True for a random tail after a prefix that says key or secret. */
export function hasPrefixedSecret(text: string): boolean {
  const tail = prefixedPattern.exec(text)?.[1];
  return tail !== undefined && isRandom(tail);
}

/** Letters and digits mixed, and more than three bits a character. */
function isRandom(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text) && entropy(text) > 3;
}
