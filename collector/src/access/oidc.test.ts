/** How answers of an identity provider about itself are taken. */
import { parseKeyring } from "@turnproof/semconv/fingerprint";
import { afterEach, expect, test, vi } from "vitest";

import { silentLog } from "../log.ts";
import { createKeyring } from "./keyring.ts";
import { createOidc } from "./oidc.ts";

const issuer = "https://login.microsoftonline.com/common/v2.0";

afterEach(() => vi.restoreAllMocks());

/** The code of a sign-in at a provider that answers so, and what is logged. */
async function failure(answer: Response): Promise<unknown> {
  // No such provider can run here; the library sends its requests by fetch.
  vi.spyOn(globalThis, "fetch").mockResolvedValue(answer);
  const logged: unknown[] = [];
  const oidc = createOidc({
    settings: { issuer, clientId: "turnproof", scopes: "openid", roleClaim: "role", roles: {} },
    keyring: createKeyring(parseKeyring("k1:0123456789abcdef0123456789abcdef")),
    typed: (value) => value,
    log: { ...silentLog, warn: (...entry) => void logged.push(entry) },
    now: Date.now,
  });
  await expect(oidc.begin("https://turnproof.example/login/callback", "/traces")).rejects.toThrow();
  return logged;
}

test("a provider that names one issuer for all organizations is refused", async () => {
  const described = {
    issuer: "https://login.microsoftonline.com/{tenantid}/v2.0",
    authorization_endpoint: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    token_endpoint: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
  };
  expect(await failure(Response.json(described))).toEqual([
    ["sign_in_failed", { code: "sign_in_refused", reason: "OAUTH_ISSUER_DIFFERS" }],
  ]);
});

test("a provider that fails is away, and gave no wrong answer", async () => {
  expect(await failure(new Response("{}", { status: 502 }))).toMatchObject([
    ["sign_in_failed", { code: "sign_in_unavailable" }],
  ]);
});

test("a provider's endpoints may move: its metadata are fetched again after ten minutes", async () => {
  const own = "https://login.example";
  let path = "v1";
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () =>
    Response.json({
      issuer: own,
      authorization_endpoint: `${own}/${path}/authorize`,
      token_endpoint: `${own}/${path}/token`,
    }),
  );
  let now = Date.parse("2026-11-28T10:00:00Z");
  const oidc = createOidc({
    settings: {
      issuer: own,
      clientId: "turnproof",
      scopes: "openid",
      roleClaim: "role",
      roles: {},
    },
    keyring: createKeyring(parseKeyring("k1:0123456789abcdef0123456789abcdef")),
    typed: (value) => value,
    log: silentLog,
    now: () => now,
  });
  const place = async (): Promise<string> =>
    new URL((await oidc.begin("https://turnproof.example/login/callback", "/traces")).location)
      .pathname;
  expect(await place()).toBe("/v1/authorize");
  path = "v2";
  now += 599_000;
  expect(await place()).toBe("/v1/authorize");
  now += 1_000;
  expect(await place()).toBe("/v2/authorize");
  expect(fetched).toHaveBeenCalledTimes(2);
});
