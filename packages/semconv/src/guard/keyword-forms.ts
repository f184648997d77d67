/**
 * @module Keyword forms: secrets after a keyword (`password=…`, `Bearer …`), and a random tail
 * after a prefix that means key or secret.
 */
import { entropy } from "./bare-secrets.ts";

/** `password=…`, `api_key: …`, `AccountKey=…`. */
const keywordPattern: RegExp =
  /(?:passw(?:or)?d|passphrase|pwd|secret|token|api[ _.-]?key|access[ _.-]?key|account[ _.-]?key|private[ _.-]?key|genie[ _.-]?key|shared[ _.-]?key|credentials?|authorization)["']? ?([:=]) ?([^\s=:]{1,240})/i;

/** `auth=…` and `sig=…` are words of a query string; with a colon they are ordinary labels. */
const queryKeywordPattern: RegExp = /(?:^|[^A-Za-z])(?:auth|sig|dsn|pin|otp)=[^\s=]/i;

/** `Bearer …` and `Basic …` followed by something that is not a plain word. */
const schemeWordPattern: RegExp =
  /(?:^|[^A-Za-z])(?:bearer|basic|digest) ([A-Za-z0-9._~+/=-]{8,240})/i;

/** A prefix that means key or secret, then one run of letters and digits. */
const prefixedPattern: RegExp =
  /(?:^|[^A-Za-z0-9])(?:secret|api[_-]?key|token|passw(?:or)?d|(?:access|auth|refresh)[_-]token|client[_-]secret|(?:private|access)[_-]key|bearer)[_.:-]([A-Za-z0-9+/]{16,240})/i;

/** States that may follow a colon without revealing a secret. */
const plainStates: ReadonlySet<string> = new Set(
  (
    "missing expired invalid required reset changed wrong incorrect weak unset empty null none redacted " +
    "refused rejected rotated revoked valid ok unknown unsupported limit limited count usage budget"
  ).split(" "),
);

/**
 * After an equals sign every value counts; after a colon only one that is no state or plain word.
 */
function shows(text: string, keyword: RegExpExecArray): boolean {
  if (keyword[1] === "=") return true;
  const reported = (keyword[2] ?? "").toLowerCase();
  const glued = /[A-Za-z0-9]/.test(text.charAt(keyword.index - 1));
  if (glued || plainStates.has(reported)) return false;
  return !/^[a-z_]+$/.test(reported) || /passw|pwd|passphrase/i.test(keyword[0]);
}

/** True when the text has a keyword of a secret followed by its value. */
export function hasKeywordForm(text: string): boolean {
  const keyword = keywordPattern.exec(text);
  if (keyword !== null && shows(text, keyword)) return true;
  if (queryKeywordPattern.test(text)) return true;
  const word = schemeWordPattern.exec(text)?.[1];
  return word !== undefined && /\d/.test(word) && /[A-Za-z]/.test(word);
}

/** True for a random tail after a prefix that means key or secret. */
export function hasPrefixedSecret(text: string): boolean {
  const tail = prefixedPattern.exec(text)?.[1];
  return tail !== undefined && isRandom(tail);
}

/** True for mixed letters and digits of more than three bits a character. */
function isRandom(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text) && entropy(text) > 3;
}
