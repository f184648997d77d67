/**
 * @module Token forms: how vendors' credentials begin, which alphabet follows and how much of it at
 * least. Public facts from the vendors' own documentation; a form is found at the start of a word.
 */

/** Alphabets as bits, so that one table lookup tells every membership of a character. */
const alphabets = {
  hex: 1,
  alnum: 2,
  word: 4,
  url: 8,
  base64: 16,
  upper: 32,
  dotted: 64,
} as const;
type Alphabet = keyof typeof alphabets;

/** Bits of every ASCII character: the alphabets it belongs to. */
const alphabetBits: Uint8Array = buildAlphabetBits();

function buildAlphabetBits(): Uint8Array {
  const members: { readonly [K in Alphabet]: RegExp } = {
    hex: /[0-9a-fA-F]/,
    alnum: /[A-Za-z0-9]/,
    word: /[A-Za-z0-9_]/,
    url: /[A-Za-z0-9_-]/,
    base64: /[A-Za-z0-9+/=_-]/,
    upper: /[A-Z0-9]/,
    dotted: /[A-Za-z0-9._~-]/,
  };
  const bits = new Uint8Array(128);
  for (let code = 0; code < bits.length; code++) {
    for (const [name, member] of Object.entries(members)) {
      if (member.test(String.fromCharCode(code))) {
        bits[code] = (bits[code] ?? 0) | alphabets[name as Alphabet];
      }
    }
  }
  return bits;
}

/** One form: what it begins with, the alphabet of the rest, and its least length. */
interface TokenForm {
  readonly prefix: string;
  readonly alphabet: Alphabet;
  readonly min: number;
}

/** Written as `prefix prefix …` per alphabet and least length. */
const written: readonly (readonly [prefixes: string, alphabet: Alphabet, min: number])[] = [
  // Clouds
  ["AKIA ASIA ABIA ACCA", "upper", 16],
  ["ABSK bedrock-api-key-", "base64", 40],
  ["amzn.mws. amzn1.application-oa2-client.", "url", 32],
  ["AIza", "url", 35],
  ["ya29. GOCSPX- 1//0 AQ.Ab8", "url", 20],
  ["LTAI", "alnum", 16],
  ["AKID", "alnum", 32],
  ["doo_v1_ dop_v1_ dor_v1_ dot_v1_", "hex", 40],
  ["HRKU-", "url", 36],
  ["FLWSECK", "url", 20],
  ["fm1_ fm2_ fo1_", "base64", 40],
  // Code, packages and delivery
  ["ghp_ gho_ ghu_ ghs_ ghr_", "word", 30],
  ["github_pat_", "word", 30],
  ["glpat- gldt- glrt- glft- glsoat- glcbt- glptt- glimt- glagent- gloas- glffct-", "dotted", 18],
  ["GR1348941", "url", 18],
  ["npm_", "alnum", 30],
  ["pypi-AgE", "url", 16],
  ["rubygems_", "hex", 40],
  ["CLOJARS_", "hex", 40],
  ["cio", "alnum", 32],
  ["dckr_pat_ dckr_oat_", "url", 20],
  ["AKC", "alnum", 50],
  ["cmVmdGtu", "alnum", 40],
  ["pul-", "hex", 40],
  ["pnu_ pnb_", "alnum", 36],
  ["sgp_", "word", 40],
  ["ATATT3 ATCTT3 ATBB", "base64", 30],
  ["figd_ figu_", "url", 38],
  ["lin_api_ lin_oauth_ lin_wh_", "alnum", 32],
  ["ntn_ secret_", "alnum", 40],
  ["PMAK-", "hex", 24],
  ["sntrys_ sntryu_ sntrya_", "base64", 32],
  ["ico-", "alnum", 32],
  ["rdme_", "alnum", 60],
  // Messages and mail
  ["xoxa- xoxb- xoxp- xoxo- xoxs- xoxr- xoxe- xoxc- xoxd- xapp- xwfp-", "url", 10],
  ["xoxe.xoxb- xoxe.xoxp-", "url", 10],
  ["SG.", "dotted", 40],
  ["key-", "alnum", 32],
  ["AC SK", "hex", 32],
  ["xkeysib- xsmtpsib-", "hex", 60],
  // Money
  ["sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ sk_prod_ rk_prod_", "word", 10],
  ["whsec_", "base64", 24],
  ["shpat_ shpca_ shppa_ shpss_ shptka_", "hex", 32],
  ["sq0atp- sq0csp- sq0idp- sq0atb-", "url", 20],
  ["EAAA", "url", 56],
  ["EAA", "alnum", 60],
  ["EZAK EZTK", "alnum", 54],
  ["shippo_live_ shippo_test_", "hex", 40],
  ["duffel_live_ duffel_test_", "url", 40],
  // Data and operations
  ["dapi", "hex", 32],
  ["dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "dotted", 30],
  ["hvs. hvb. hvr.", "url", 20],
  ["ops_eyJ", "base64", 20],
  ["AGE-SECRET-KEY-1", "upper", 40],
  ["AGE-PLUGIN-", "url", 30],
  ["ddapp_ ddpat_ ddsat_", "word", 30],
  ["pub", "hex", 32],
  ["glsa_", "word", 32],
  ["glc_", "base64", 32],
  ["NRAK- NRII- NRAA- NRSP- NRJS- NRBR-", "url", 19],
  ["dt0c01. dt0s01. dt0s08. dt0s16.", "dotted", 24],
  ["pscale_tkn_ pscale_oauth_ pscale_pw_", "dotted", 30],
  ["sbp_ sb_secret_", "word", 30],
  ["nfp_ nfc_ nfo_", "word", 36],
  ["vcp_ vci_ vca_ vcr_ vck_", "word", 24],
  ["sl.u. sl.B", "url", 60],
  ["tfp_", "url", 40],
  // Names of the public scanners' lists that are not above
  ["aio_", "alnum", 26],
  ["apify_api_", "alnum", 30],
  ["bt-st-", "alnum", 40],
  ["bkua_ sqp_ squ_ sqa_", "hex", 40],
  ["csk-", "alnum", 40],
  ["CCIPAT_", "word", 40],
  ["cfut_ cfat_", "alnum", 38],
  ["CFPAT-", "url", 40],
  ["dnkey-", "url", 40],
  ["ddp_ ddo_", "alnum", 34],
  ["fio-u-", "url", 50],
  ["live_pub_ test_pub_", "hex", 31],
  ["live_", "url", 40],
  ["s-s4t2ud- u-s4t2ud-", "hex", 60],
  ["jina_", "alnum", 60],
  ["pylf_v1_", "word", 40],
  ["pubkey-", "hex", 32],
  ["APP_USR- TEST-APP_USR-", "url", 40],
  ["m0-", "alnum", 36],
  ["ak- as-", "alnum", 22],
  ["napi_", "alnum", 60],
  ["oy2", "alnum", 43],
  ["API-", "upper", 25],
  ["access-sandbox- access-development- access-production-", "url", 36],
  ["phx_ phc_ phs_ phr_", "alnum", 40],
  ["rzp_live_ rzp_test_", "alnum", 14],
  ["rnd_", "alnum", 28],
  ["tk-us- tk-eu-", "alnum", 44],
  ["SCW", "upper", 17],
  ["sgp_", "alnum", 60],
  ["sm_pat_ sm_aat_ sm_sat_", "alnum", 16],
  ["sk_", "hex", 48],
  ["sk-helicone- pk-helicone-", "url", 20],
  ["testsk_", "url", 30],
  ["tskey-", "url", 24],
  ["VF.DM.", "dotted", 30],
  ["AQVN", "url", 35],
  ["t1.", "dotted", 120],
  ["y0_", "url", 50],
  ["z_", "alnum", 60],
  ["nk-", "url", 43],
  ["wandb_v1_", "url", 60],
  ["pat-na1- pat-na2- pat-eu1-", "url", 36],
  // Models and tools for them
  ["sk-", "alnum", 20],
  [
    "sk-proj- sk-svcacct- sk-admin- sk-None- sk-ant- sk-or-v1- sk-or- sk-lf- pk-lf- sk-kimi-",
    "url",
    20,
  ],
  ["hf_ api_org_", "alnum", 30],
  ["gsk_", "alnum", 40],
  ["xai-", "alnum", 40],
  ["pplx-", "alnum", 40],
  ["r8_", "alnum", 36],
  ["nvapi-", "url", 40],
  ["fw_", "alnum", 20],
  ["tvly-", "url", 24],
  ["fc-", "hex", 32],
  ["e2b_", "hex", 40],
  ["lsv2_pt_ lsv2_sk_ ls__", "word", 30],
  ["pcsk_", "word", 40],
  ["AIzaSy", "url", 30],
  // Encodings that only wrap something: DER, OpenSSH and PEM in base64
  ["LS0tLS1CRUdJTi", "base64", 0],
  ["b3BlbnNzaC1rZXkt", "base64", 0],
  ["MIIE MIIB MIIC MIID MIIJ MIGH MHcCAQ MC4CAQ", "base64", 40],
];

/** Every form, in the order written. */
const tokenForms: readonly TokenForm[] = written.flatMap(([prefixes, alphabet, min]) =>
  prefixes.split(" ").map((prefix) => ({ prefix, alphabet, min })),
);

/** Forms by the first two characters of their prefix. */
const formsByStart: ReadonlyMap<number, readonly TokenForm[]> = (() => {
  const byStart = new Map<number, TokenForm[]>();
  for (const form of tokenForms) {
    const start = startKey(form.prefix, 0);
    const known = byStart.get(start);
    if (known === undefined) byStart.set(start, [form]);
    else known.push(form);
  }
  return byStart;
})();

/** Which first characters a form can have, so that most words cost one lookup. */
const firstCodes: Uint8Array = (() => {
  const codes = new Uint8Array(128);
  for (const form of tokenForms) codes[form.prefix.charCodeAt(0)] = 1;
  return codes;
})();

function startKey(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
}

/** True when several texts in a row have the form together, from the start of one of them. */
export function hasSplitTokenForm(texts: readonly string[]): boolean {
  const joined = texts.join("");
  let at = 0;
  for (const text of texts) {
    if (firstCodes[joined.charCodeAt(at)] === 1 && formAt(joined, at)) return true;
    at += text.length;
  }
  return false;
}

/** True when a word of the text has the form of a vendor's credential. Linear in the text. */
export function hasTokenForm(text: string): boolean {
  let previousInWord = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const inWord = code < 128 && ((alphabetBits[code] ?? 0) & alphabets.alnum) !== 0;
    if (inWord && !previousInWord && firstCodes[code] === 1 && formAt(text, at)) return true;
    previousInWord = inWord;
  }
  return false;
}

function formAt(text: string, at: number): boolean {
  const forms = formsByStart.get(startKey(text, at));
  if (forms === undefined) return false;
  for (const form of forms) {
    if (!text.startsWith(form.prefix, at)) continue;
    const end = at + form.prefix.length + form.min;
    if (end <= text.length && runs(text, at + form.prefix.length, end, alphabets[form.alphabet])) {
      return true;
    }
  }
  return false;
}

function runs(text: string, from: number, to: number, bit: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code > 127 || ((alphabetBits[code] ?? 0) & bit) === 0) return false;
  }
  return true;
}
