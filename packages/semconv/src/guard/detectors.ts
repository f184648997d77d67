/**
 * @module Detectors: finds what a text of the right shape may still be: a credential, an e-mail
 * address, a URL, an IP address, a card number (privacy: How a value is judged). One pass over the
 * characters selects the detectors that can apply; most ids and labels need none.
 */
import type { Code } from "../codes.ts";
import { hasAccountNumber } from "./account-numbers.ts";
import { hasEmail, hasIpAddress, hasUrl } from "./addresses.ts";
import { hasBareSecret, hasBotToken, isBasicPair } from "./bare-secrets.ts";
import { fold, unescaped } from "./folded.ts";
import { hasKeywordForm, hasPrefixedSecret } from "./keyword-forms.ts";
import { marks } from "./marks.ts";
import { hasOddForm } from "./odd-forms.ts";
import { hasSocialNumber, hasTelephoneNumber } from "./personal-numbers.ts";
import { hasSplitTokenForm, hasTokenForm } from "./token-forms.ts";
import { opensJson, unwrap, unwrapHex } from "./wrapped.ts";

const {
  upper,
  lower,
  beyondHex,
  at,
  slash,
  colon,
  dot,
  space,
  equals,
  dash,
  other,
  wide,
  keyish,
  under,
} = marks;

const classes: Uint16Array = buildClasses();

function buildClasses(): Uint16Array {
  const table = new Uint16Array(128).fill(other);
  for (let code = 48; code < 58; code++) table[code] = 0;
  for (let code = 65; code < 91; code++) table[code] = upper | (code > 70 ? beyondHex : 0);
  for (let code = 97; code < 123; code++) table[code] = lower | (code > 102 ? beyondHex : 0);
  const marks = [
    ["@", at],
    ["/", slash],
    [":", colon],
    [".", dot],
    [" ", space],
    ["=", equals],
    ["-", dash],
    ["_", under],
  ] as const;
  for (const [mark, bit] of marks) table[mark.charCodeAt(0)] = bit;
  return table;
}

/** The last two letters of every keyword of a secret: secret, key, token, password … */
const wordTails: ReadonlySet<number> = new Set(
  "et ey en rd wd er se al ls on th ig sn in tp ic st"
    .split(" ")
    .map((tail) => (tail.charCodeAt(0) << 8) | tail.charCodeAt(1)),
);

/** True when a keyword, a quote or a space after one may end before this place. */
function mayEndWord(text: string, at: number): boolean {
  const last = text.charCodeAt(at - 1);
  if (last === 32 || last === 34 || last === 39) return true;
  return wordTails.has(((text.charCodeAt(at - 2) | 32) << 8) | last | 32);
}

/** Fewest characters of a credential that is recognized by its form. */
const tokenCharsMin = 14;

/** An object of JSON in base64: the header of a JWT or JWE, or of one wrapped again. */
const jsonPattern = /(?:^|\n)\{[ \n\r]{0,4}"|(?:^|[^A-Za-z0-9])eyJ[A-Za-z0-9_-]{8}/;

/** Fewest digits of a telephone or social security number, and what separates or opens them. */
const personalDigitsMin = 8;
const personalMarks = dash | dot | space | other;

/** Fewest digits of a card number or an IBAN. */
const accountDigitsMin = 11;

/** Words beside a number that mark it as a card. */
const cardWord: RegExp = /card|visa|amex|mastercard|iban|\bpan\b|\bcc\b|karte|carte|tarjeta/i;

/** Fewest characters of an encoded run that could contain an address. */
const wrappedCharsMin = 8;

/** Most list entries at which the search for a split credential starts. */
const splitStartsMax = 8;

/** Most layers of encoding that are decoded; more of them would be deliberate evasion. */
const wrapsMax = 2;

/** Forms that are allowed in the place of the text. */
export interface Allowed {
  /** True: a version with the form of an IPv4 address is allowed. */
  readonly version?: boolean;
  /** True: the text is an id, so digits in one run are no card. */
  readonly ids?: boolean;
  /** True: the text is a tenant, so a caller's telephone number or IP address is an id. */
  readonly endpoints?: boolean;
}

/** The refusal code of a text, or undefined. */
export function detect(text: string, allowed: Allowed): Code | undefined {
  let seen = 0;
  let digits = 0;
  let run = 0;
  let longest = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const bits = code < 128 ? (classes[code] ?? other) : wide;
    seen |= bits;
    if (code > 47 && code < 58) digits++;
    else if ((bits & (upper | lower)) === 0 && index > 1 && mayEndWord(text, index)) {
      seen |= keyish;
    }
    if ((bits & (at | space | colon)) === 0) {
      if (++run > longest) longest = run;
    } else run = 0;
  }
  const letters = seen & (upper | lower);
  if ((seen & ~(upper | lower | dash | keyish)) === 0 && letters !== (upper | lower)) {
    if ((seen & dash) === 0) return hexCode(text, letters, digits, allowed);
    if (isUuid(text)) return undefined;
  }
  if (letters === upper && seen === (upper | beyondHex) && isUlid(text)) return undefined;
  return suspect(text, seen, digits, longest, allowed);
}

/**
 * The refusal code of a credential or an e-mail address that spans several entries of a list, each
 * of which passes alone. Cards are not searched: short numbers in a row are ids.
 */
export function detectSplit(entries: readonly string[]): Code | undefined {
  if (hasSplitTokenForm(entries)) return "attribute_credential";
  // A form may begin at any entry; in a long list of references only the list as a whole is
  // searched.
  const starts = entries.length > splitStartsMax ? 1 : entries.length - 1;
  for (let at = 0; at < starts; at++) {
    const rest = (at === 0 ? entries : entries.slice(at)).join("");
    if (hasOddForm(rest, marks.all) || opensJson(rest)) return "attribute_credential";
  }
  for (let at = 1; at < entries.length; at++) {
    const before = entries[at - 1] as string;
    const after = entries[at] as string;
    if ((before.endsWith("@") || after.startsWith("@")) && hasEmail(before + after)) {
      return "attribute_email";
    }
  }
  return undefined;
}

/**
 * True for lower-case hex with or without dashes, UUIDs included, that no detector would refuse.
 */
export function isHexId(text: string): boolean {
  if (text.length < 2 || text.length > 64) return false;
  let digits = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 47 && code < 58) digits++;
    else if ((code < 97 || code > 102) && (code !== 45 || text.length !== 36)) return false;
  }
  if (text.length === 36) return isUuid(text);
  if (wraps(text)) return false;
  if (digits === text.length) return true;
  return digits < accountDigitsMin || text.charCodeAt(1) < 65;
}

function suspect(
  text: string,
  seen: number,
  digits: number,
  longest: number,
  allowed: Allowed,
): Code | undefined {
  const reported = plainly(text, seen, digits, longest, allowed);
  if (reported !== undefined) return reported;
  if (longest >= wrappedCharsMin) {
    const inner = unwrap(text);
    const code = inner === "" ? undefined : wrappedCode(inner, wrapsMax, allowed);
    if (code !== undefined) return code;
  }
  if ((seen & (wide | other)) === 0) return undefined;
  const folded = (seen & wide) === 0 ? unescaped(text) : (fold(text) ?? unescaped(text));
  return folded === undefined ? undefined : detect(folded, allowed);
}

/** The refusal code of a decoded text, decoding further layers in turn. */
function wrappedCode(inner: string, depth: number, allowed: Allowed): Code | undefined {
  if (jsonPattern.test(inner) || isBasicPair(inner)) return "attribute_credential";
  const within = allowed.endpoints === true ? { endpoints: true } : {};
  const reported = plainly(inner, marks.all, inner.length, inner.length, within);
  if (reported !== undefined || depth < 2) return reported;
  const deeper = unwrap(inner);
  return deeper === "" ? undefined : wrappedCode(deeper, depth - 1, allowed);
}

/** True for hex digits that encode printable text, which hardly any id does. */
function wraps(text: string): boolean {
  return startsPrintable(text) && unwrapHex(text) !== undefined;
}

/** True when the first two digits could encode a printable character. */
function startsPrintable(text: string): boolean {
  const first = text.charCodeAt(0);
  return first > 49 && first < 56;
}

function plainly(
  text: string,
  seen: number,
  digits: number,
  longest: number,
  allowed: Allowed,
): Code | undefined {
  if (longest >= tokenCharsMin) {
    if (hasTokenForm(text) || hasCredential(text, seen) || opensJson(text)) {
      return "attribute_credential";
    }
  }
  if ((seen & keyish) !== 0 && (seen & (equals | colon | space)) !== 0 && hasKeywordForm(text)) {
    return "attribute_credential";
  }
  if ((seen & (slash | dot | colon)) !== 0 && hasUrl(text)) return "attribute_url";
  if ((seen & (at | space | other)) !== 0 && hasEmail(text)) return "attribute_email";
  if (
    allowed.version !== true &&
    allowed.endpoints !== true &&
    (seen & (dot | colon)) !== 0 &&
    digits > 0 &&
    hasIpAddress(text)
  ) {
    return "attribute_ip";
  }
  if (digits >= personalDigitsMin && (seen & personalMarks) !== 0) {
    if (hasSocialNumber(text)) return "attribute_personal";
    if (allowed.endpoints !== true && hasTelephoneNumber(text)) return "attribute_personal";
  }
  return digits >= accountDigitsMin && isAccount(text, allowed) ? "attribute_card" : undefined;
}

/** True for an account number, unless the text is an id in this place. */
function isAccount(text: string, allowed: Allowed): boolean {
  return hasAccountNumber(text, allowed.ids === true && !cardWord.test(text));
}

/** True for a credential that is recognized by more than its beginning. */
function hasCredential(text: string, seen: number): boolean {
  if (hasOddForm(text, seen)) return true;
  if ((seen & keyish) !== 0 && hasPrefixedSecret(text)) return true;
  return hasBareSecret(text) || ((seen & dot) !== 0 && hasBotToken(text));
}

/** Hex digits of one case are an id, unless they are a card number, an IBAN or encoded text. */
function hexCode(
  text: string,
  letters: number,
  digits: number,
  allowed: Allowed,
): Code | undefined {
  if (wraps(text)) {
    const code = wrappedCode(unwrapHex(text) ?? "", wrapsMax, allowed);
    if (code !== undefined) return code;
  }
  if (letters === 0 && allowed.ids === true) return undefined;
  if (digits < accountDigitsMin || (letters !== 0 && text.charCodeAt(1) < 65)) return undefined;
  return isAccount(text, allowed) ? "attribute_card" : undefined;
}

/** 8-4-4-4-12; the characters are known to be hex digits and dashes. */
function isUuid(text: string): boolean {
  return (
    text.length === 36 &&
    text.charCodeAt(8) === 45 &&
    text.charCodeAt(13) === 45 &&
    text.charCodeAt(18) === 45 &&
    text.charCodeAt(23) === 45
  );
}

/** 26 characters of Crockford's alphabet; the characters are known to be capitals and digits. */
function isUlid(text: string): boolean {
  return text.length === 26 && text.charCodeAt(0) < 56;
}
