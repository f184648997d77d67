/**
 * @module Corpus of published formats: credentials of the vendors whose formats public scanners
 * list, written from the vendors' own descriptions as `prefix|alphabet|length` and assembled at run
 * time. Formats without a prefix of their own (bare hex, bare UUIDs) are ids to everybody but their
 * issuer and are not here; they are refused where a keyword names them.
 */
import type { Draw, letters } from "./corpus-random.ts";

/** `prefix alphabet length [infix alphabet length]…`; the prefix is broken by `~` in the source. */
const written = `
  adafruit        a~io_ alnum 28
  apify           apify~_api_ alnum 36
  asana_pat       1~/ digits 16 : hex 32
  authress        s~c_ lowerAlnum 8 . lowerAlnum 6 .acc-abcdefghij. alnum 40
  bitbucket       ATB~B alnum 32
  braintree       access_token$~production$ lowerAlnum 16 $ hex 32
  braintrust      bt-~st- alnum 48
  buildkite       bk~ua_ hex 40
  cerebras        cs~k- lowerAlnum 48
  circleci        CCI~PAT_ alnum 22 _ hex 40
  cloudflare_ca   v1.0-~ hex 24 - hex 146
  cloudflare_user cf~ut_ alnum 40
  contentful      CFP~AT- url 43
  defined_net     dnk~ey- alnum 26 - alnum 52
  deno_deploy     dd~p_ alnum 36
  elevenlabs      s~k_ hex 48
  frameio         fi~o-u- url 64
  gitlab_scim     gl~soat- url 20
  gocardless      live~_ url 40
  harness         p~at. alnum 22 . hex 24 . alnum 20
  helicone        sk-~helicone- lowerAlnum 7 - lowerAlnum 7 - lowerAlnum 7
  hashicorp_batch hv~b. url 138
  infisical       s~t. hex 24 . hex 32 . hex 32
  intra42         s-~s4t2ud- hex 64
  jina            ji~na_ alnum 60
  lob             live_~pub_ hex 31
  logfire         pylf~_v1_us_ alnum 43
  mailgun_public  pub~key- hex 32
  maxmind         alnum6 alnum 6 _ alnum 29 _~mmk alnum 0
  mercadopago     APP~_USR- digits 16 - digits 6 - hex 32
  mem0            m~0- alnum 40
  modal_id        a~k- alnum 22
  modal_secret    a~s- alnum 22
  neon            nap~i_ lowerAlnum 64
  nuget           oy~2 lowerAlnum 43
  octopus         AP~I- upperAlnum 26
  opsgenie_named  Genie~Key= hex 36
  plaid           access-~sandbox- hex 8 - hex 4 - hex 4 - hex 4 - hex 12
  posthog         ph~x_ alnum 43
  posthog_project ph~c_ alnum 43
  postmark_named  X-Postmark-Server-~Token= hex 36
  razorpay        rzp~_live_ alnum 14
  render          rn~d_ alnum 28
  scalingo        tk-~us- alnum 48
  scaleway        SC~W upperAlnum 17
  segment         sgp~_ alnum 64
  settlemint      sm~_pat_ alnum 16
  snyk_named      snyk_~token= hex 36
  sonar_user      sq~u_ hex 40
  sonar_project   sq~p_ hex 40
  sonar_global    sq~a_ hex 40
  sourcegraph     sgp~_ hex 16 _ hex 40
  svix            test~sk_ url 32
  tailscale       ts~key-auth- alnum 12 CNTRL- alnum 32
  telegram_two    digits8 digits 8 :A~A url 33
  voiceflow       VF.~DM. hex 24 . alnum 16
  yandex_cloud    AQ~VN url 38
  yandex_iam      t1~. url 60 . url 86
  yandex_oauth    y0~_ url 55
  zep             z~_ alnum 64
  astra           Astra~CS: alnum 24 : hex 64
  fly_macaroon    fm~2_ base64 100
  supabase_secret sb_~secret_ alnum 22 _ alnum 8
  sentry_org      sntr~ys_ alnum 60
  pypi_test       py~pi-AgENdGVzdC5weXBpLm9yZw url 60
  nomic           n~k- url 43
  wandb_new       wandb~_v1_ url 80
  datadog_pat     dd~pat_ alnum 34
  hubspot_pat     pat~-na1- hex 8 - hex 4 - hex 4 - hex 4 - hex 12
  dropbox_short   sl~.u. url 130
  slack_legacy_ws xo~xr- digits 12 - alnum 20
  shopify_theme   shpt~ka_ hex 32
`;

type Piece = {
  readonly literal: string;
  readonly alphabet?: keyof typeof letters;
  readonly length: number;
};

/** A literal, then an alphabet and a length, again and again; `~` only breaks the source. */
function piecesOf(words: readonly string[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < words.length; at += 3) {
    const [literal = "", alphabet, length] = words.slice(at, at + 3);
    // A piece that only draws is written with a word for its literal.
    const said = /^(?:alnum|digits)\d+$/.test(literal) ? "" : literal.replaceAll("~", "");
    pieces.push({
      literal: said,
      ...(alphabet === undefined ? {} : { alphabet: alphabet as keyof typeof letters }),
      length: Number(length ?? 0),
    });
  }
  return pieces;
}

const base64url = (text: string): string => Buffer.from(text, "utf8").toString("base64url");

/** Formats that are an object of JSON in base64. */
const jsonTokens: { readonly [format: string]: (draw: Draw) => string } = {
  grafana_old: (draw) => base64url(`{"k":"${draw("alnum", 32)}","n":"ci","id":1}`),
  mapbox_secret: (draw) =>
    `sk.${base64url(`{"u":"${draw("lower", 8)}","a":"${draw("lowerAlnum", 25)}"}`)}.${draw("url", 22)}`,
  mapbox_public: (draw) =>
    `pk.${base64url(`{"u":"${draw("lower", 8)}","a":"${draw("lowerAlnum", 25)}"}`)}.${draw("url", 22)}`,
};

/** Makers of a fresh credential by format. */
export const publishedTokens: { readonly [format: string]: (draw: Draw) => string } = {
  ...jsonTokens,
  ...Object.fromEntries(
    written
      .trim()
      .split("\n")
      .map((line) => {
        const [format = "", ...words] = line.trim().split(/\s+/);
        const pieces = piecesOf(words);
        return [
          format,
          (draw: Draw) =>
            pieces
              .map(({ literal, alphabet, length }) =>
                alphabet === undefined || length === 0 ? literal : literal + draw(alphabet, length),
              )
              .join(""),
        ] as const;
      }),
  ),
};
