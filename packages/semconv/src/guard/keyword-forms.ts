/**
 * @module Keyword forms: secrets that say so (`password=…`, `Bearer …`), and credentials whose form
 * is not a plain prefix.
 */
import { marks } from "./marks.ts";

/** A credential that needs more than a prefix, and what cannot be missing where it is. */
interface OddForm {
  /** A mark that the text must have. */
  readonly mark: number;
  /** A literal that the text must hold. */
  readonly needs: string;
  readonly pattern: RegExp;
}

const oddForms: readonly OddForm[] = [
  // Telegram bot, Mailchimp, Mailgun
  {
    mark: marks.colon,
    needs: ":",
    pattern: /(?:^|[^A-Za-z0-9])\d{8,10}:[A-Za-z0-9_-]{35}(?:[^A-Za-z0-9-]|$)/,
  },
  {
    mark: marks.dash,
    needs: "-us",
    pattern: /(?:^|[^A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?:[^A-Za-z0-9]|$)/,
  },
  {
    mark: marks.dash,
    needs: "-",
    pattern: /(?:^|[^A-Za-z0-9])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?:[^A-Za-z0-9]|$)/,
  },
  // Azure client secret, Azure platform keys, OpenShift, Terraform
  { mark: marks.other, needs: "Q~", pattern: /[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,34}/ },
  { mark: marks.upper, needs: "JQQJ99", pattern: /JQQJ99[A-Za-z0-9+/=]{4}/ },
  { mark: marks.equals, needs: "==", pattern: /(?:ASt|ACDb|AIoT)[A-Za-z0-9+/]{5}==/ },
  { mark: marks.other, needs: "sha256~", pattern: /sha256~[A-Za-z0-9_-]{43}/ },
  { mark: marks.dot, needs: ".atlasv1.", pattern: /\.atlasv1\.[A-Za-z0-9_=-]{40}/ },
  // 1Password secret key, Airtable, legacy Vault, Resend, Firebase messaging
  {
    mark: marks.dash,
    needs: "A3-",
    pattern:
      /(?:^|[^A-Za-z0-9])A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}/,
  },
  { mark: marks.dot, needs: "pat", pattern: /(?:^|[^A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}/ },
  {
    mark: marks.dot,
    needs: "s.",
    pattern: /(?:^|[^A-Za-z0-9])s\.[A-Za-z0-9]{24}(?:[^A-Za-z0-9]|$)/,
  },
  {
    mark: marks.under,
    needs: "re_",
    pattern: /(?:^|[^A-Za-z0-9])re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}/,
  },
  {
    mark: marks.colon,
    needs: "AAAA",
    pattern: /(?:^|[^A-Za-z0-9])AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100}/,
  },
  // Asana, Cloudflare's origin key, Authress, Harness, Infisical, MaxMind, Braintree, Astra
  {
    mark: marks.colon,
    needs: "1/",
    pattern: /(?:^|[^A-Za-z0-9])1\/\d{12,20}:[0-9a-f]{32}/,
  },
  { mark: marks.dash, needs: "v1.0-", pattern: /v1\.0-[0-9a-f]{24}-[0-9a-f]{100}/ },
  {
    mark: marks.dot,
    needs: ".acc",
    pattern: /_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30}/,
  },
  {
    mark: marks.dot,
    needs: "pat.",
    pattern: /(?:^|[^A-Za-z0-9])pat\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}/,
  },
  {
    mark: marks.dot,
    needs: "st.",
    pattern: /(?:^|[^A-Za-z0-9])st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}/,
  },
  {
    mark: marks.under,
    needs: "_mmk",
    pattern: /(?:^|[^A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk/,
  },
  { mark: marks.other, needs: "access_token$", pattern: /access_token\$(?:production|sandbox)\$/ },
  { mark: marks.colon, needs: "AstraCS:", pattern: /AstraCS:[A-Za-z0-9]{20}/ },
  // Keys of a private kind, in the open
  {
    mark: marks.space,
    needs: "BEGIN ",
    pattern: /BEGIN [A-Z ]{0,24}(?:PRIVATE KEY|CERTIFICATE|PGP)/,
  },
  { mark: marks.dash, needs: "PuTTY-User", pattern: /PuTTY-User-Key-File/ },
];

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

/** True for a credential of an odd form that stands in the text. */
export function hasOddForm(text: string, seen: number): boolean {
  for (const { mark, needs, pattern } of oddForms) {
    if ((seen & mark) !== 0 && text.includes(needs) && pattern.test(text)) return true;
  }
  return false;
}

/**
 * True for a credential of an odd form, or a random tail after a telling prefix; `seen` are the
 * text's marks.
 */
export function hasOddTokenForm(text: string, seen: number): boolean {
  if (hasOddForm(text, seen)) return true;
  const tail = (seen & marks.keyish) !== 0 ? prefixedPattern.exec(text)?.[1] : undefined;
  if (tail !== undefined && isRandom(tail)) return true;
  return hasCloudSecret(text) || hasDiscordToken(text);
}

/** Letters and digits mixed, and more than three bits a character. */
function isRandom(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text) && entropy(text) > 3;
}

/** Shannon entropy in bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Length of a cloud's bare secret. */
const cloudSecretChars = 40;

/**
 * A bare secret of a cloud: 40 characters of base64 at the end of a run of them, after its
 * start or a slash, that are neither words nor a path.
 */
function hasCloudSecret(text: string): boolean {
  if (text.length < cloudSecretChars || !(text.includes("/") || text.includes("+"))) return false;
  let run = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && isPlainBase64(text.charCodeAt(at))) {
      run++;
      continue;
    }
    const before = text.charCodeAt(at - cloudSecretChars - 1);
    const stands =
      run === cloudSecretChars || (run > cloudSecretChars && (before === 47 || before === 43));
    if (stands && isCloudSecret(text.slice(at - cloudSecretChars, at))) return true;
    run = 0;
  }
  return false;
}

function isCloudSecret(word: string): boolean {
  const mixed = /\d[^0-9]*\d/.test(word) && /[A-Z][^A-Z]*[A-Z][^A-Z]*[A-Z]/.test(word);
  const path = word.split("/").length > 3 || !/[+/]/.test(word) || /[a-z]{9}/.test(word);
  return mixed && !path && entropy(word) > 4.3;
}

function isPlainBase64(code: number): boolean {
  if (code > 96) return code < 123;
  return code > 64 ? code < 91 : (code > 46 && code < 58) || code === 43;
}

/** The middle and the end of a Discord bot's token. */
const discordTailPattern: RegExp = /\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}/;

/** The head of a Discord bot's token: the bot's number in base64, 24 characters or more. */
function hasDiscordToken(text: string): boolean {
  if (text.length < 59 || !text.includes(".")) return false;
  const at = discordTailPattern.exec(text)?.index ?? -1;
  return at > 23 && /^[MNO][A-Za-z0-9_-]+$/.test(text.slice(at - 26, at).replace(/^[^MNO]+/, ""));
}
