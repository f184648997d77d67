/**
 * @module Odd forms: credentials whose form is not a plain prefix. Public facts from the vendors'
 * own documentation and the public scanners' lists.
 */
import { marks } from "./marks.ts";

/** A credential that needs more than a prefix, with cheap conditions that are checked first. */
interface OddForm {
  /** A mark that the text must have. */
  readonly mark: number;
  /** A literal that the text must contain. */
  readonly needs: string;
  readonly pattern: RegExp;
  /** Fewest characters of a text of this form, where `needs` is common. */
  readonly min?: number;
}

const oddForms: readonly OddForm[] = [
  // Telegram bot, Mailchimp, Mailgun
  {
    mark: marks.colon,
    min: 41,
    needs: ":",
    pattern: /(?:^|[^A-Za-z0-9])\d{5,16}:[A-Za-z0-9_-]{35}(?:[^A-Za-z0-9-]|$)/,
  },
  {
    mark: marks.dash,
    min: 36,
    needs: "-us",
    pattern: /(?:^|[^A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?:[^A-Za-z0-9]|$)/,
  },
  {
    mark: marks.dash,
    min: 50,
    needs: "-",
    pattern: /(?:^|[^A-Za-z0-9])[0-9a-h]{32}-[0-9a-h]{8}-[0-9a-h]{8}(?:[^A-Za-z0-9]|$)/,
  },
  // Azure client secret, Azure platform keys, OpenShift, Terraform
  {
    mark: marks.other,
    min: 36,
    needs: "Q~",
    pattern: /[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,34}/,
  },
  { mark: marks.upper, needs: "JQQJ99", pattern: /JQQJ99[A-Za-z0-9+/=]{4}/ },
  { mark: marks.equals, needs: "==", pattern: /(?:ASt|ACDb|AIoT)[A-Za-z0-9+/]{5}==/ },
  { mark: marks.other, min: 50, needs: "sha256~", pattern: /sha256~[A-Za-z0-9_-]{43}/ },
  { mark: marks.dot, min: 49, needs: ".atlasv1.", pattern: /\.atlasv1\.[A-Za-z0-9_=-]{40}/ },
  // 1Password secret key, Airtable, legacy Vault, Resend, Firebase messaging
  {
    mark: marks.dash,
    min: 36,
    needs: "A3-",
    pattern:
      /(?:^|[^A-Za-z0-9])A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}/,
  },
  {
    mark: marks.dot,
    min: 80,
    needs: "pat",
    pattern: /(?:^|[^A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}/,
  },
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
    min: 112,
    needs: "AAAA",
    pattern: /(?:^|[^A-Za-z0-9])AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100}/,
  },
  // LM Studio
  {
    mark: marks.colon,
    needs: "sk-lm-",
    pattern: /(?:^|[^A-Za-z0-9])sk-lm-[A-Za-z0-9]{8}:[A-Za-z0-9]{12}/,
  },
  // Asana, Cloudflare's origin key, Authress, Harness, Infisical, MaxMind, Braintree, Astra
  {
    mark: marks.colon,
    min: 47,
    needs: "1/",
    pattern: /(?:^|[^A-Za-z0-9])1\/\d{12,20}:[0-9a-f]{32}/,
  },
  { mark: marks.dash, min: 130, needs: "v1.0-", pattern: /v1\.0-[0-9a-f]{24}-[0-9a-f]{100}/ },
  {
    mark: marks.dot,
    min: 50,
    needs: ".acc",
    pattern: /_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30}/,
  },
  {
    mark: marks.dot,
    min: 69,
    needs: "at.",
    pattern: /(?:^|[^A-Za-z0-9])[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}/,
  },
  {
    mark: marks.dot,
    min: 90,
    needs: "st.",
    pattern: /(?:^|[^A-Za-z0-9])st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}/,
  },
  {
    mark: marks.under,
    min: 40,
    needs: "_mmk",
    pattern: /(?:^|[^A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk/,
  },
  { mark: marks.other, needs: "access_token$", pattern: /access_token\$(?:production|sandbox)\$/ },
  { mark: marks.colon, needs: "AstraCS:", pattern: /AstraCS:[A-Za-z0-9]{20}/ },
  // Checkout, LaunchDarkly and Valour: a prefix and a UUID; eBay
  {
    mark: marks.dash,
    min: 39,
    needs: "-",
    pattern:
      /(?:^|[^A-Za-z0-9-])(?:sk_|api-|sdk-|val-)[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/,
  },
  { mark: marks.dash, min: 35, needs: "PRD-", pattern: /PRD-[0-9a-f]{12}(?:-[0-9a-f]{4}){4}/ },
  { mark: marks.dash, min: 35, needs: "SBX-", pattern: /SBX-[0-9a-f]{12}(?:-[0-9a-f]{4}){4}/ },
  // New Relic's licence, Azure DevOps, Dropbox, Segment, Onfido, Tableau, Yandex, GitLab's cookie
  { mark: marks.upper, min: 40, needs: "NRAL", pattern: /[0-9a-f]{36}(?:[0-9a-f]{4}|FFFF)NRAL/ },
  { mark: marks.upper, min: 84, needs: "AZDO", pattern: /[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}/ },
  {
    mark: marks.upper,
    min: 64,
    needs: "AAAAAAAAAA",
    pattern: /[A-Za-z0-9_-]{11}AAAAAAAAAA[A-Za-z0-9_-]{43}/,
  },
  {
    mark: marks.dot,
    min: 87,
    needs: ".",
    pattern: /(?:^|[^A-Za-z0-9.])[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43}(?:[^A-Za-z0-9]|$)/,
  },
  {
    mark: marks.dot,
    min: 50,
    needs: "api_",
    pattern: /api_(?:live|sandbox)(?:_[a-z]{2})?\.[A-Za-z0-9_-]{11}\.[A-Za-z0-9_-]{32}/,
  },
  { mark: marks.equals, min: 57, needs: "==:", pattern: /[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}/ },
  {
    mark: marks.dot,
    min: 70,
    needs: ".1.1.",
    pattern: /(?:dict|pdct|trnsl)\.1\.1\.\d{8}T\d{6}Z\.[0-9a-f]{16}\.[0-9a-f]{40}/,
  },
  {
    mark: marks.equals,
    min: 48,
    needs: "_gitlab_session=",
    pattern: /_gitlab_session=[0-9a-z]{32}/,
  },
  // Facebook's application, Twitter: a number and a secret
  {
    mark: marks.other,
    min: 43,
    needs: "|",
    pattern: /(?:^|[^A-Za-z0-9])\d{15,16}\|[A-Za-z0-9_-]{27}/,
  },
  { mark: marks.dash, min: 56, needs: "-", pattern: /(?:^|[^A-Za-z0-9])\d{15,25}-[A-Za-z0-9]{40}/ },
  {
    mark: marks.equals,
    min: 56,
    needs: "AzFu",
    pattern: /[A-Za-z0-9_-]{44}AzFu[A-Za-z0-9_-]{6}==/,
  },
  // Paths of web hooks: the path itself is the credential
  {
    mark: marks.slash,
    min: 42,
    needs: "/",
    pattern:
      /(?:^|[^A-Za-z0-9])[TG][A-Za-z0-9]{7,12}\/[ABC][A-Za-z0-9]{7,12}\/(?:\d{15,20}\/)?[A-Za-z0-9]{24}/,
  },
  { mark: marks.slash, needs: "hooks/", pattern: /webhooks\/\d{17,20}\/[A-Za-z0-9_-]{60}/ },
  {
    mark: marks.slash,
    needs: "hook",
    pattern: /(?:webhookb2|IncomingWebhook|hooks\/catch|bot\/v2\/hook)\/[A-Za-z0-9]/,
  },
  {
    mark: marks.slash,
    needs: "hooks/",
    pattern: /(?:^|[^A-Za-z0-9])hooks\/[a-z0-9]{26}(?:[^A-Za-z0-9]|$)/,
  },
  // Private keys in plain text
  {
    mark: marks.space,
    needs: "BEGIN ",
    pattern: /BEGIN [A-Z ]{0,24}(?:PRIVATE KEY|CERTIFICATE|PGP)/,
  },
  { mark: marks.dash, needs: "PuTTY-User", pattern: /PuTTY-User-Key-File/ },
];

/** True when the text contains a credential of an odd form. */
export function hasOddForm(text: string, seen: number): boolean {
  for (const { mark, min, needs, pattern } of oddForms) {
    if ((seen & mark) === 0 || (min !== undefined && text.length < min)) continue;
    if (text.includes(needs) && pattern.test(text)) return true;
  }
  return false;
}
