/**
 * @module Corpus of published formats: credentials of the vendors whose formats public scanners
 * list, written from the vendors' own descriptions as `prefix|alphabet|length` and assembled at run
 * time. Formats without a prefix of their own (bare hex, bare UUIDs) are ids to all but their
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
  jina_url        ji~na_ url 60
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
  snyk_personal   snyk_~uat. hex 8 . url 60
  discord_user    mf~a. url 84
  discord_scanned MT~A alnum 21 . alnum 6 . url 27
  supabase_secret sb_s~ecret_ url 22 _ alnum 8
  dropbox_short   s~l. url 135
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
  figma_new       fig~p_ url 40
  figma_oauth     fig~or_ url 40
  square_sandbox  sandbox-~sq0csb- url 43
  newrelic_query  NR~IQ- url 32
  newrelic_rest   NR~RA- hex 42
  together        tgp~_v1_ url 43
  sourcegraph_lic sl~k_ hex 64
  lob_live        liv~e_ hex 35
  lob_test        tes~t_ hex 35
  messagebird     liv~e_ alnum 20 aB3 alnum 2
  aiven_password  AV~NS_ url 15
  aiven_token     AV~NU_ base64 120
  block_protocol  b10~ck5. hex 32 . hex 8 - hex 4 - hex 4 - hex 4 - hex 12
  notify_canada   gcn~tfy-name-here- hex 8 - hex 4 - hex 4 - hex 4 - hex 12 -1234- hex 40
  checkout        sk~_ hex 8 - hex 4 - hex 4 - hex 4 - hex 12
  checkout_new    sk~_sbox_ lowerAlnum 27
  chief           ct~p_ alnum 36
  datadog_rcm     DDR~CM_ base32 120
  devcycle        dvc~_server_ hex 8 _ hex 4 _ hex 4 _ hex 4 _ hex 12 _ hex 7
  docker_swarm    SWM~TKN-1- lowerAlnum 50 - lowerAlnum 25
  docker_unlock   SWM~KEY-1- base64 43
  ebay            PR~D- hex 12 - hex 4 - hex 4 - hex 4 - hex 4
  dynatrace_agent dt0~a01. lowerAlnum 8 . hex 64
  facebook_app    digits16 digits 16 | url 27
  instagram       IGQ~V alnum 130
  oculus          FRL~ alnum 120
  flutterwave_pub FLW~PUBK_TEST- hex 32 -X digits 0
  gocardless_sand sand~box_ url 30 aB3 url 10
  gcs_service     GOO~G1 upperAlnum 56
  gcs_user        GOO~G upperAlnum 20
  intercom        dG9~rO alnum 55
  lm_studio       sk-~lm- alnum 8 : alnum 20
  okta            0~0 url 37 aB3 url 0
  hubspot_key     CiR~ldTEt alnum 90
  ionic           io~n_ alnum 42
  jd_cloud        JD~CT upperHex 28
  launchdarkly    ap~i- hex 8 - hex 4 - hex 4 - hex 4 - hex 12
  logicmonitor    lm~b_ base64 90
  mandrill        m~d- url 10 aB3 url 9
  mercury         mercury~_production_wma_ alnum 50 _yrucrem digits 0
  midtrans        Mid~-server- url 24
  newrelic_lic    hex36 hex 36 FF~FFNRAL digits 0
  onechronos      cg~xap_ alnum 48
  onfido          api~_live. alnum 11 . url 32
  orbit           ob~u_ url 40
  paypal_token    A2~1AA url 92
  persona         persona~_production_ hex 8 - hex 4 - hex 4 - hex 4 - hex 12
  postman_coll    PM~AT- upperAlnum 26
  prefect_old     pc~u_ alnum 36
  proctorio       PC~K hex 32
  redirect_pizza  rp~a_ lowerAlnum 64
  revenuecat      sk~_ alnum 29
  rootly          root~ly_ hex 64
  samsara         samsara~_api_ alnum 30
  segment_config  url43 url 43 . url 43
  shopify_partner prt~api_ hex 64
  shopify_market  shp~mkt_ hex 8 _ hex 32
  siemens         CS~C- url 10 aB3 url 7
  stackhawk       haw~k. alnum 17 aB3. alnum 20
  stripe_system   sy~s_live_ alnum 32
  tableau         base22 base64 22 ==~: alnum 32
  telegram_short  digits6 digits 6 :A~A url 33
  telnyx          KEY~0 upperHex 31 _ alnum 22
  thunderstore    ts~s_ alnum 40
  typeform        tf~p_ url 59
  twitter_pair    digits19 digits 19 - alnum 40
  twitter_bearer  AAAAAAAAAAAAA~AAAAAAAAA alnum 90
  valour          va~l- hex 8 - hex 4 - hex 4 - hex 4 - hex 12
  vault_batch_old b~.AAAAAQ url 140
  wakatime        wak~a_tok_ alnum 80
  wiseflow        wf~s_1_ alnum 42
  workos          sk~_a2V5 alnum 70
  yandex_dict     dict~.1.1. digits 8 T digits 6 Z. hex 16 . hex 40
  zuplo           zp~ka_ hex 32 _ hex 8
  adobe           p8~e- lowerAlnum 32
  clickhouse      4b~1d alnum 30 aB3 alnum 5
  voyage          p~a- url 30 aB3 url 10
  neon_password   np~g_ alnum 9 aB3 alnum 0
  langwatch       sk~-lw- alnum 48
  browserbase     bb~_live_ url 32
  turbopuffer     tp~uf_ alnum 32
  vercel_blob     vercel~_blob_rw_ alnum 16 _ alnum 30
  honeycomb       hca~ik_ lowerAlnum 58
  stytch          secret~-live- url 36
  azure_devops    alnum76 alnum 76 AZ~DO alnum 4
  dropbox_long    url11 alnum 11 AAAAAA~AAAA url 43
  github_old_app  v1~. hex 40
  gitlab_cookie   _gitlab~_session= lowerAlnum 32
  teams_hook      webhook~b2/ hex 8 - hex 4 - hex 4 - hex 4 - hex 12
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
    const stated = /^(?:alnum|digits|hex|url|base)\d+$/.test(literal)
      ? ""
      : literal.replaceAll("~", "");
    pieces.push({
      literal: stated,
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
