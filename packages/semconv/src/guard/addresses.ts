/**
 * @module Addresses: e-mail addresses, URLs with or without a scheme, and IP addresses. All
 * patterns are linear; the suite proves it with a checker and against a second engine.
 */

/** A scheme and two slashes, a script scheme, or the start of a protocol-relative address. */
const schemePattern: RegExp =
  /:\/\/|^\/\/|:\\\\|(?:^|[^A-Za-z0-9])(?:mailto|javascript|vbscript|blob|view-source):/i;

/** `www.` at the start of a word. */
const wwwPattern: RegExp = /(?:^|[^A-Za-z0-9.-])www\d?\.[A-Za-z0-9]/i;

/** A host and a path, or a host, a port and a path; the host's last label decides. */
const hostPathPattern: RegExp =
  /(?:^|[^A-Za-z0-9.-])((?:[A-Za-z0-9-]{1,63}\.){1,8})([A-Za-z]{2,24})(?::\d{1,5})?[/?#]/g;

/** `localhost` with a port or a path. */
const localhostPattern: RegExp = /(?:^|[^A-Za-z0-9.-])localhost(?::\d{2,5})?\//i;

/** `user:secret@host` before a port, a path or the end of a dotted host. */
const userinfoPattern: RegExp =
  /(?:^|[\s/|@])[^\s:@/|]{1,80}:[^\s@/|]{1,120}@[A-Za-z0-9._-]{1,120}(?::\d{2,5}(?:\/|$)|\/)/;

/** `user:secret@host` at the end, with a host of one word; a version or a stage is not a host. */
const bareUserinfoPattern: RegExp =
  /(?:^|[\s/|@*])[^\s:@/|]{1,80}:[^\s@/|]{1,120}@([A-Za-z][A-Za-z0-9_-]{0,62})(?:$|\.$|[^A-Za-z0-9_./-])/;

/** What may follow the at sign in an id: a version, a stage or a channel. */
const stagePattern: RegExp =
  /^(?:v?\d.*|latest|stable|next|main|master|head|canary|nightly|preview|alpha.*|beta.*|rc.*|dev.*|test.*|qa|staging|stage|prod.*|live|local|default)$/i;

const topLevels: ReadonlySet<string> = new Set(
  (
    "com org net edu gov mil int info biz name io ai app dev cloud co me tv tech online site store shop " +
    "xyz page live news blog wiki link click space website systems network digital agency email " +
    "internal local localdomain lan corp home onion arpa ac ad ae af ag al am ao ar as at au aw ax az ba " +
    "bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cd cf cg ch ci ck cl cm cn cr cu cv cx cy cz " +
    "de dj dk dm do dz ec ee eg er es et eu fi fj fk fo fr ga gd ge gg gh gi gl gm gn gp gr gt gu gy hk " +
    "hn hr ht hu id ie il im in iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk " +
    "lr ls lt lu lv ly ma mc mg mh mn mo mp mr mt mu mv mw mx my mz na ne nf ng ni nl no np nr nu nz om " +
    "pa pe pf pg ph pk pr pt pw qa re ro ru rw sa sb sc sd se sg si sk sl sm sn sr st su sv sx sy sz tc " +
    "td tf tg th tj tk tl tm tn to tr tt tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw"
  ).split(" "),
);

/** Top-level domains that are file endings too: a host with one needs a third label. */
const ambiguousTopLevels: ReadonlySet<string> = new Set(
  "md py rs sh so pl ps cc mk ml mm zip mov ms gs bat".split(" "),
);

/** True when the text holds a URL with or without a scheme. */
export function hasUrl(text: string): boolean {
  const slash = text.includes("/");
  if ((slash || text.includes(":")) && schemePattern.test(text)) return true;
  if (mayHoldWww(text) && wwwPattern.test(text)) return true;
  if (text.includes("@") && hasUserinfo(text)) return true;
  return (slash || text.includes("#")) && (localhostPattern.test(text) || hasHostPath(text));
}

function hasUserinfo(text: string): boolean {
  if (!text.includes(":")) return false;
  if (userinfoPattern.test(text)) return true;
  const host = bareUserinfoPattern.exec(text)?.[1];
  return host !== undefined && !stagePattern.test(host);
}

function mayHoldWww(text: string): boolean {
  return text.includes("ww") || text.includes("WW") || text.includes("wW") || text.includes("Ww");
}

function hasHostPath(text: string): boolean {
  if (!text.includes(".")) return false;
  for (const match of text.matchAll(hostPathPattern)) {
    const top = (match[2] ?? "").toLowerCase();
    if (topLevels.has(top)) return true;
    const labels = (match[1] ?? "").split(".").length - 1;
    if (labels > 1 && ambiguousTopLevels.has(top)) return true;
  }
  return false;
}

/** An at sign spelt out in brackets. */
const bracketedAtPattern: RegExp = /[^\s()] ?\(at\) ?[^\s()]/i;

/** An address spelt out in words. */
const speltPattern: RegExp = /[^\s] at [A-Za-z0-9-]{1,63} dot ([A-Za-z]{2,24})/i;

/** What may follow the at sign in an address: labels, and a last label of letters. */
const domainPattern: RegExp = /^[\p{L}\p{N}_-]{1,63}(?:\.[\p{L}\p{N}_-]{1,63}){0,8}/u;

/** True when the text holds an e-mail address. */
export function hasEmail(text: string): boolean {
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    if (at === 0 || !isLocalEnd(text.charCodeAt(at - 1))) continue;
    const domain = domainPattern.exec(text.slice(at + 1, at + 255))?.[0].replace(/[_-]{1,9}$/, "");
    if (domain !== undefined && isMailDomain(domain)) return true;
  }
  if (text.includes("(") && bracketedAtPattern.test(text)) return true;
  const spelt = text.includes(" ") ? speltPattern.exec(text)?.[1] : undefined;
  return spelt !== undefined && topLevels.has(spelt.toLowerCase());
}

function isLocalEnd(code: number): boolean {
  return code > 47 ? code !== 58 && code !== 64 : code === 43 || code === 45 || code === 46;
}

/** A version such as `1.2.beta` and a date are not domains. */
function isMailDomain(domain: string): boolean {
  if (domain.toLowerCase() === "localhost") return true;
  const last = domain.lastIndexOf(".");
  return (
    last > 0 && /^\p{L}[\p{L}-]{1,62}$/u.test(domain.slice(last + 1)) && !/^v?\d+\.\d/.test(domain)
  );
}

/** Four numbers between dots, with no digit or letter beside them. */
const ipv4Pattern: RegExp =
  /(?:^|[^A-Za-z0-9.])(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?![A-Za-z0-9]|\.\d)/g;

/** A run of hex digits and colons. */
const hexColonPattern: RegExp = /[0-9A-Fa-f:]{3,64}/g;

/** True when the text holds an IPv4 or IPv6 address. */
export function hasIpAddress(text: string): boolean {
  for (const match of text.matchAll(ipv4Pattern)) {
    if (match.slice(1, 5).every((part) => Number(part) < 256)) return true;
  }
  if (!text.includes(":")) return false;
  for (const match of text.matchAll(hexColonPattern)) {
    if (isIpv6(standing(text, match.index, match[0]))) return true;
  }
  return false;
}

/** The run without its first or last group where a letter beyond hex adjoins it. */
function standing(text: string, from: number, run: string): string {
  const first = /[A-Za-z0-9]/.test(text.charAt(from - 1)) ? run.indexOf(":") + 1 : 0;
  const last = /[A-Za-z0-9]/.test(text.charAt(from + run.length))
    ? run.lastIndexOf(":")
    : undefined;
  return run.slice(first, last);
}

function isIpv6(text: string): boolean {
  const groups = text.split(":");
  if (!groups.every((group) => group.length <= 4) || !/\d/.test(text)) return false;
  const gap = text.indexOf("::");
  if (gap === -1) return groups.length > 7 && groups.length < 11;
  return text.indexOf("::", gap + 1) === -1 && groups.length <= 9;
}
