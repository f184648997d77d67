/**
 * @module Keyword forms: secrets that say so (`password=…`, `Bearer …`), and credentials whose form
 * is not a plain prefix.
 */
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
  /(?:^|[^A-Za-z0-9])(?:secret|api[_-]?key|token|passw(?:or)?d|(?:access|auth|refresh)[_-]token|client[_-]secret|(?:private|access)[_-]key|bearer)[_.:-]([A-Za-z0-9+/]{16,240})/i;

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

/** True for a credential of an odd form, or a random tail after a telling prefix. */
export function hasOddTokenForm(text: string): boolean {
  for (const pattern of oddTokenPatterns) if (pattern.test(text)) return true;
  const tail = prefixedPattern.exec(text)?.[1];
  if (tail !== undefined && isRandom(tail)) return true;
  return hasCloudSecret(text);
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

/** Runs in which a bare secret of a cloud stands at the end. */
export const cloudSecretPattern: RegExp =
  /(?:^|[^A-Za-z0-9+])([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/g;

/** A bare secret of a cloud: 40 characters of base64 that are neither words nor a path. */
function hasCloudSecret(text: string): boolean {
  if (text.length < 40 || !/[+/]/.test(text)) return false;
  for (const match of text.matchAll(cloudSecretPattern)) {
    const word = match[1] ?? "";
    const mixed = /\d[^0-9]*\d/.test(word) && /[A-Z][^A-Z]*[A-Z][^A-Z]*[A-Z]/.test(word);
    const path = word.split("/").length > 3 || !/[+/]/.test(word) || /[a-z]{9}/.test(word);
    if (mixed && !path && entropy(word) > 4.3) return true;
  }
  return false;
}
