/**
 * @module Redaction: masks text that is shown in the mode `redacted`: secrets, credentials, e-mail
 * addresses and user ids (requirements: Authentication 2). Defence in depth only: masked text is
 * still content, and is shown only where content may be shown.
 */
import { attribute, limits, screenValue } from "@turnproof/semconv";

/** Replacements of masked text. */
export const masks = {
  email: "[e-mail]",
  credential: "[credential]",
  user: "[user]",
  number: "[number]",
  address: "[address]",
} as const;

const armor = /-----BEGIN [A-Z0-9 ]{1,40}-----[^-]{0,20000}-----END [A-Z0-9 ]{1,40}-----/g;
const email = /[\p{L}\p{N}._%+'-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu;
const userinfo = /(:\/\/)[^\s/:@]{1,80}:[^\s/@]{1,120}@/g;
const named =
  /\b(pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|authorization|bearer|cookie|session[_-]?id)(["']?\s{0,3}(?:[:=]|\bis\b)\s{0,3}["']?)((?:bearer|basic)\s{1,3})?([^\s"',;&]{3,400})/gi;
const bearer = /\b(bearer|basic)\s{1,3}([A-Za-z0-9._~+/=-]{8,2000})/gi;
const userId =
  /\b((?:user|customer|account|member|tenant|client)[_ -]?(?:id|no|number)?["']?\s{0,3}[:=#]\s{0,3}["']?)([A-Za-z0-9][A-Za-z0-9_.:-]{1,120})/gi;
const words = /[A-Za-z0-9_.:/+~=@-]{8,240}/g;

const maskOfCode: { readonly [code: string]: string | undefined } = {
  attribute_credential: masks.credential,
  attribute_email: masks.email,
  attribute_ip: masks.address,
  attribute_card: masks.number,
  attribute_personal: masks.number,
};

/**
 * The text with everything masked that looks like a secret, and every occurrence of the known user
 * ids.
 */
export function redact(text: string, userIds: readonly string[] = []): string {
  let masked = text
    .replace(armor, masks.credential)
    .replace(email, masks.email)
    .replace(userinfo, `$1${masks.credential}@`)
    .replace(named, (_all, name: string, between: string, kind = "") =>
      [name, between, kind, masks.credential].join(""),
    )
    .replace(bearer, `$1 ${masks.credential}`)
    .replace(userId, `$1${masks.user}`);
  for (const id of userIds) if (id.length > 2) masked = masked.replaceAll(id, masks.user);
  // Vendors' formats and card digits are detected by the guard itself.
  return masked.replace(words, (word) => maskOfWord(word) ?? word);
}

function maskOfWord(word: string): string | undefined {
  if (word.length > limits.stringCharsMax) return masks.credential;
  const bare = word.replace(/[.:]+$/, "");
  // As an id digits alone are valid; in a text they may be a card.
  const row = /^\d+$/.test(bare) ? attribute.tool_name : attribute.request_id;
  const code = screenValue(row, bare);
  return code === undefined ? undefined : maskOfCode[code];
}
