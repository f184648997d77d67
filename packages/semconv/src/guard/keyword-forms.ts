/**
 * @module Keyword forms: secrets that say so (`password=…`, `Bearer …`), credentials whose form is
 * not a plain prefix, and e-mail, URL or token wrapped in base64.
 */
import { hasEmail, hasUrl } from "./addresses.ts";
import { hasTokenForm } from "./token-forms.ts";

/** Credentials that need more than a prefix, an alphabet and a length. */
export const oddTokenPatterns: readonly RegExp[] = [
  // Telegram bot, Discord bot, Mailchimp, Mailgun
  /(?:^|[^A-Za-z0-9])\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/,
  /(?:^|[^A-Za-z0-9])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}/,
  /(?:^|[^A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])/,
  /(?:^|[^A-Za-z0-9])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![A-Za-z0-9])/,
  // Azure client secret, Azure platform keys, OpenShift, Terraform
  /[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,34}/,
  /[A-Za-z0-9+/]{40,80}(?:JQQJ99|AzCa|AzSe|AzFu|AIoT|ASt|ACDb|APIM)[A-Za-z0-9+/=]{4}/,
  /sha256~[A-Za-z0-9_-]{43}/,
  /[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40}/,
  // 1Password secret key, Airtable, legacy Vault, Resend, Firebase messaging
  /(?:^|[^A-Za-z0-9])A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}/,
  /(?:^|[^A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}/,
  /(?:^|[^A-Za-z0-9])s\.[A-Za-z0-9]{24}(?![A-Za-z0-9])/,
  /(?:^|[^A-Za-z0-9])re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}/,
  /(?:^|[^A-Za-z0-9])AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100}/,
  // Keys of a private kind, in the open
  /BEGIN [A-Z ]{0,24}(?:PRIVATE KEY|CERTIFICATE|PGP)/,
  /PuTTY-User-Key-File/,
];

/** `password=…`, `api_key: …`, `AccountKey=…`. */
export const keywordPattern: RegExp =
  /(?:passw(?:or)?d|passphrase|pwd|secret|token|api[ _.-]?key|access[ _.-]?key|account[ _.-]?key|private[ _.-]?key|shared[ _.-]?key|credentials?|authorization)["']? ?([:=]) ?([^\s=:]{1,240})/i;

/** `auth=…` and `sig=…` are words of a query string; with a colon they are ordinary labels. */
export const queryKeywordPattern: RegExp = /(?:^|[^A-Za-z])(?:auth|sig|dsn|pin|otp)=[^\s=]/i;

/** `Bearer …` and `Basic …` with something that is no word. */
export const schemeWordPattern: RegExp =
  /(?:^|[^A-Za-z])(?:bearer|basic|digest) ([A-Za-z0-9._~+/=-]{8,240})/i;

/** A prefix that says key or secret, then one run of letters and digits. */
export const prefixedPattern: RegExp =
  /(?:^|[^A-Za-z0-9])(?:sk|rk|secret|api[_-]?key|token|passw(?:or)?d|(?:access|auth|refresh)[_-]token|client[_-]secret|(?:private|access)[_-]key|bearer)[_.:-]([A-Za-z0-9+/]{16,240})/i;

/** What a colon may be followed by without telling a secret. */
const plainStates: ReadonlySet<string> = new Set(
  (
    "missing expired invalid required reset changed wrong incorrect weak unset empty null none redacted " +
    "refused rejected rotated revoked valid ok unknown unsupported limit limited count usage budget"
  ).split(" "),
);

/** True when the text names a secret and goes on to tell it. */
export function hasKeywordForm(text: string): boolean {
  const keyword = keywordPattern.exec(text);
  if (keyword !== null) {
    const told = keyword[2] ?? "";
    if (keyword[1] === "=" || !(plainStates.has(told.toLowerCase()) || /^[a-z_]+$/.test(told))) {
      return true;
    }
    if (/passw|pwd|passphrase/i.test(keyword[0]) && !plainStates.has(told)) return true;
  }
  if (queryKeywordPattern.test(text)) return true;
  const word = schemeWordPattern.exec(text)?.[1];
  return word !== undefined && /\d/.test(word) && /[A-Za-z]/.test(word);
}

/** True for a credential of an odd form, a random tail after a telling prefix, or a wrapped one. */
export function hasOddTokenForm(text: string): boolean {
  for (const pattern of oddTokenPatterns) if (pattern.test(text)) return true;
  const tail = prefixedPattern.exec(text)?.[1];
  if (tail !== undefined && isRandom(tail)) return true;
  return isCloudSecret(text) || hidesInBase64(text);
}

/** Letters and digits mixed, and more than three bits a character. */
function isRandom(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text) && entropy(text) > 3;
}

/** Shannon entropy in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** A bare secret of a cloud: exactly 40 characters of base64 that are neither words nor a path. */
function isCloudSecret(text: string): boolean {
  return (
    text.length === 40 &&
    /^[A-Za-z0-9+/]+$/.test(text) &&
    /[+/]/.test(text) &&
    /\d[^0-9]*\d/.test(text) &&
    /[A-Z][^A-Z]*[A-Z][^A-Z]*[A-Z]/.test(text) &&
    entropy(text) > 4.4
  );
}

const base64Word = /[A-Za-z0-9+/_-]{12,240}/g;

/** True when a word, read as base64, is printable text that holds an address or a credential. */
function hidesInBase64(text: string): boolean {
  for (const [word] of text.matchAll(base64Word)) {
    const inner = printableFromBase64(word);
    if (inner === undefined) continue;
    if (hasEmail(inner) || hasUrl(inner) || hasTokenForm(inner) || hasKeywordForm(inner))
      return true;
  }
  return false;
}

const sixBits: Int8Array = (() => {
  const values = new Int8Array(128).fill(-1);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  for (let at = 0; at < alphabet.length; at++) values[alphabet.charCodeAt(at)] = at;
  for (const mark of "+-") values[mark.charCodeAt(0)] = 62;
  for (const mark of "/_") values[mark.charCodeAt(0)] = 63;
  return values;
})();

/** The text that a base64 word encodes, or undefined at its first byte that is not printable. */
function printableFromBase64(word: string): string | undefined {
  let held = 0;
  let bits = 0;
  let text = "";
  for (let at = 0; at < word.length; at++) {
    held = ((held << 6) | (sixBits[word.charCodeAt(at)] ?? 0)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    const code = (held >> bits) & 0xff;
    if (code < 32 || code > 126) return undefined;
    text += String.fromCharCode(code);
  }
  return text;
}
