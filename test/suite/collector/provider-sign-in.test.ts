/**
 * Sign-in through an OpenID Connect provider, end to end against a foreign one: whom it lets in as
 * what, every answer that is refused, and how long a session lasts (security: Sessions; faults
 * W15).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { providerCheck } from "../../../collector/src/cli/doctor-provider.ts";
import { parseConfig } from "../../../collector/src/config/read-config.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { openProvider, visit } from "./identity-provider.ts";
import type { IdentityProvider, Visitor } from "./identity-provider.ts";

const origin = "http://localhost:4318";
const lines: string[] = [];
const log = {
  info: (event: string, fields?: object) => void lines.push(event + JSON.stringify(fields)),
  warn: (event: string, fields?: object) => void lines.push(event + JSON.stringify(fields)),
  error: (event: string, fields?: object) => void lines.push(event + JSON.stringify(fields)),
};
let provider: IdentityProvider;
let desk: Desk;
let env: Record<string, string>;
let now = Date.now();

beforeAll(async () => {
  provider = await openProvider([origin]);
  env = {
    TURNPROOF_UI_OIDC_ISSUER: provider.issuer,
    TURNPROOF_UI_OIDC_CLIENT_ID: "turnproof",
    TURNPROOF_UI_OIDC_CLIENT_SECRET: "a-secret-of-the-client-0123456789",
    TURNPROOF_UI_OIDC_SCOPES: "openid evidence",
    TURNPROOF_UI_OIDC_ROLE_CLAIM: "realm.groups",
    TURNPROOF_UI_OIDC_ROLES: "staff=viewer,evidence-admins=admin",
    TURNPROOF_UI_OIDC_TENANT_CLAIM: "company",
  };
  desk = await openDesk(env, { log, now: () => now });
  await desk.put(turnEvents({ root: "root-acme", user: "acme" }));
  await desk.put(turnEvents({ root: "root-other", user: "other" }));
});
afterAll(async () => {
  await desk.collector.close();
  await provider.close();
});

/** What the collector returns to an answer: its status, and the code or where it leads. */
async function ending(visitor: Visitor, answer: string): Promise<readonly unknown[]> {
  const response = await visitor.request(answer);
  const location = response.headers.get("location");
  if (location !== null) return [response.status, location];
  return [response.status, ((await response.json()) as { code: string }).code];
}

async function signedIn(name: string, at: Desk = desk): Promise<Visitor> {
  const visitor = visit(at, origin);
  const answer = await visitor.answerFor(name);
  expect(await ending(visitor, answer)).toEqual([303, "/traces/health"]);
  return visitor;
}

const settingsOf = async (visitor: Visitor): Promise<Record<string, unknown>> =>
  (
    (await (await visitor.request("/settings.json")).json()) as {
      principal: Record<string, unknown>;
    }
  ).principal;

test("the page offers the provider, and no field for a token where none opens anything", async () => {
  const page = await (await desk.get("/login?next=/traces/health")).text();
  expect(page).toContain('href="/login/provider?next=%2Ftraces%2Fhealth"');
  expect(page).not.toContain('name="token"');
  const both = await openDesk({ ...env, TURNPROOF_UI_AUTH_TOKEN: "otter-q7KxZt4Wm9Rc2Yd8" });
  const beside = await (await both.get("/login")).text();
  expect(beside).toContain("/login/provider");
  expect(beside).toContain('name="token"');
  await both.collector.close();
});

test("the claims say role and tenant, the highest role counts, and a tenant sees its own", async () => {
  const vera = await signedIn("vera");
  expect(await settingsOf(vera)).toMatchObject({ name: "oidc:vera", role: "viewer" });
  const anna = await signedIn("anna");
  expect(await settingsOf(anna)).toMatchObject({ role: "admin", user_id: "acme", via: "session" });
  const rows = await (await anna.request("/traces/turns.json")).text();
  expect(rows).toContain("root-acme");
  expect(rows).not.toContain("root-other");
});

test("an answer ends one sign-in, of the browser that began it, with its state and in time", async () => {
  const visitor = visit(desk, origin);
  const answer = await visitor.answerFor("vera");
  const kept = new Map(visitor.cookies);
  const other = visit(desk, origin);
  await other.answerFor("vera");
  const state = [400, "sign_in_state"];
  expect(await ending(visit(desk, origin), answer)).toEqual(state);
  expect(await ending(other, answer)).toEqual(state);
  expect(await ending(visitor, answer)).toEqual([303, "/traces/health"]);
  // The browser's cookies of before, with the same answer.
  visitor.cookies.clear();
  for (const [name, value] of kept) visitor.cookies.set(name, value);
  expect(await ending(visitor, answer)).toEqual(state);
  const late = visit(desk, origin);
  const overdue = await late.answerFor("vera");
  now += 11 * 60_000;
  expect(await ending(late, overdue)).toEqual(state);
});

test.each([
  ["another nonce", (at: URL) => at.searchParams.set("nonce", "another"), (a: string) => a],
  [
    "another challenge",
    (at: URL) => at.searchParams.set("code_challenge", "A".repeat(43)),
    (a: string) => a,
  ],
  [
    "another issuer",
    () => {},
    (a: string) => a.replace(/iss=[^&]*/, "iss=https%3A%2F%2Fevil.example"),
  ],
  ["no issuer", () => {}, (a: string) => a.replace(/&?iss=[^&]*/, "")],
  ["another code", () => {}, (a: string) => a.replace(/code=[^&]{10}/, "code=0123456789")],
])("an answer with %s is refused", async (_what, change, swap) => {
  now += 3_600_000;
  const visitor = visit(desk, origin);
  const answer = swap(await visitor.answerFor("anna", change));
  expect(await ending(visitor, answer)).toEqual([401, "sign_in_refused"]);
  expect((await visitor.request("/settings.json")).status).toBe(401);
});

test("a token with another signature is refused", async () => {
  now += 3_600_000;
  const visitor = visit(desk, origin);
  const answer = await visitor.answerFor("anna");
  provider.forges = true;
  expect(await ending(visitor, answer)).toEqual([401, "sign_in_refused"]);
  provider.forges = false;
});

test("who has no role, or no tenant, is let in nowhere", async () => {
  for (const name of ["nobody", "nowhere"]) {
    const visitor = visit(desk, origin);
    const answer = await visitor.answerFor(name);
    expect(await ending(visitor, answer)).toEqual([403, "sign_in_unassigned"]);
    expect((await visitor.request("/settings.json")).status).toBe(401);
  }
});

test("who has lost the role ends the earlier session by the next sign-in, and guesses nothing", async () => {
  const visitor = visit(desk, origin);
  await ending(visitor, await visitor.answerFor("anna"));
  expect((await visitor.request("/settings.json")).status).toBe(200);
  for (let attempt = 0; attempt < 8; attempt += 1) {
    // The same browser, whose session with the provider has ended.
    const again = visit(desk, origin);
    for (const [name, value] of visitor.cookies) again.cookies.set(name, value);
    const answer = await again.answerFor("nobody");
    expect(await ending(again, answer)).toEqual([403, "sign_in_unassigned"]);
  }
  expect((await visitor.request("/settings.json")).status).toBe(401);
});

test("a provider of another name, or none, is said so and can be tried again", async () => {
  const localhost = provider.issuer.replace("127.0.0.1", "localhost");
  const misnamed = await openDesk({ ...env, TURNPROOF_UI_OIDC_ISSUER: localhost });
  expect(await ending(visit(misnamed, origin), "/login/provider")).toEqual([
    401,
    "sign_in_refused",
  ]);
  await misnamed.collector.close();
  const away = await openDesk({ ...env, TURNPROOF_UI_OIDC_ISSUER: "http://127.0.0.1:9" });
  const answer = await away.get("/login/provider");
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  await away.collector.close();
});

test("a session ends idle, by sign-out, and where the provider's settings change", async () => {
  const visitor = await signedIn("vera");
  now += 29 * 60_000;
  expect((await visitor.request("/settings.json")).status).toBe(200);
  const page = await (
    await visitor.request("/settings", { headers: { accept: "text/html" } })
  ).text();
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const out = { method: "POST", headers: { origin, "x-csrf-token": csrf } };
  const kept = new Map(visitor.cookies);
  expect((await visitor.request("/logout", out)).status).toBe(303);
  for (const [name, value] of kept) visitor.cookies.set(name, value);
  expect((await visitor.request("/settings.json")).status).toBe(401);
  const idle = await signedIn("vera");
  now += 31 * 60_000;
  expect((await idle.request("/settings.json")).status).toBe(401);
  const dataDir = desk.dataDir;
  const lasting = {
    ...env,
    TURNPROOF_DATA_DIR: join(dataDir, "lasting"),
    TURNPROOF_BACKEND: "clickhouse",
  };
  const options = { store: desk.store, now: () => now };
  const first = await openDesk(lasting, options);
  const person = await signedIn("vera", first);
  await first.collector.close();
  const again = async (more: Record<string, string>): Promise<number> => {
    const next = await openDesk({ ...lasting, ...more }, options);
    const headers = { cookie: [...person.cookies].map((pair) => pair.join("=")).join("; ") };
    const { status } = await next.get("/settings.json", headers);
    await next.collector.close();
    return status;
  };
  expect(await again({})).toBe(200);
  expect(await again({ TURNPROOF_UI_OIDC_ROLES: "staff=analyst" })).toBe(401);
});

test("doctor finds a provider that is away, or has another issuer", async () => {
  const checked = async (issuer: string) =>
    providerCheck(parseConfig({ ...env, TURNPROOF_UI_OIDC_ISSUER: issuer }));
  const check = "identity provider";
  expect(await checked(provider.issuer)).toEqual([
    { check, state: "ok", message: `${provider.issuer} answers.` },
  ]);
  const localhost = provider.issuer.replace("127.0.0.1", "localhost");
  expect(await checked(localhost)).toMatchObject([
    { check, state: "fail", message: expect.stringMatching(/^sign_in_refused: .*OAUTH_/) },
  ]);
  expect(await checked("http://127.0.0.1:9")).toMatchObject([
    { check, state: "fail", message: expect.stringMatching(/^sign_in_unavailable: http:/) },
  ]);
  expect(await providerCheck(parseConfig({}))).toEqual([]);
});

test("no token, claim or name is in a log or in the audit file", async () => {
  const audit = readFileSync(join(desk.dataDir, "audit.jsonl"), "utf8");
  expect(audit).toContain("session.opened");
  expect(audit).toContain("sign_in_unassigned");
  expect(lines.join("\n")).toContain('"reason":"OAUTH_JWT_CLAIM_COMPARISON_FAILED"');
  for (const text of [audit, lines.join("\n")]) {
    expect(text).not.toMatch(/anna|vera|nobody|acme|evil|staff|eyJ[\w-]*\.|code=|state=/);
  }
});
