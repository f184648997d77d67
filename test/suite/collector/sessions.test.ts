/** Signing in and out: fixation, forgery, tossing, throttle, cross-site (faults W4 to W7). */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

const token = "operator-q7KxZt4Wm9Rc2Yd8";
const origin = "http://localhost:4318";
const env = { TURNPROOF_UI_AUTH_TOKEN: token };

let desk: Desk;
let now = Date.parse("2026-11-21T12:00:00Z");

beforeAll(async () => {
  desk = await openDesk(env, { now: () => now });
});
afterAll(() => desk.collector.close());
beforeEach(() => {
  now += 3_600_000;
});

async function login(
  fields: Record<string, string> = { token },
  headers: Record<string, string> = {},
  at: Desk = desk,
): Promise<Response> {
  return at.collector.app.request(`${origin}/login`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin, ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

function cookieOf(response: Response): string {
  return (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

async function signIn(at: Desk = desk): Promise<string> {
  const response = await login({ token }, {}, at);
  expect(response.status).toBe(303);
  return cookieOf(response);
}

async function post(cookie: string, headers: Record<string, string>): Promise<number> {
  const response = await desk.collector.app.request(`${origin}/traces/reconcile`, {
    method: "POST",
    headers: { cookie, "content-type": "application/json", ...headers },
    body: JSON.stringify({ events: [] }),
  });
  return response.status;
}

/** The token of the session, as a form of a page holds it. */
async function csrfOf(cookie: string): Promise<string> {
  const page = await (await desk.get("/settings", { cookie })).text();
  return /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? "";
}

describe("a session", () => {
  test("opens with the token, and its cookie is out of a script's reach", async () => {
    const response = await login({ token, next: "/traces/health" });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/traces/health");
    expect(response.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Lax$/);
    const cookie = cookieOf(response);
    expect((await desk.get("/traces/turns.json", { cookie })).status).toBe(200);
    expect(cookie).not.toContain(token);
    const kept = readFileSync(join(desk.dataDir, "audit.jsonl"), "utf8");
    expect(kept).not.toContain(token);
  });

  test("a redirect never leaves the origin", async () => {
    for (const next of [
      "//evil.example",
      "https://evil.example",
      "/\\evil.example",
      "javascript:1",
      "/traces?q=\\r\\nset-cookie: a=b",
      "/traces?q=a#//evil.example",
    ]) {
      expect((await login({ token, next })).headers.get("location")).toBe("/traces");
    }
  });

  test("is never adopted from a cookie that came along", async () => {
    const planted = await signIn();
    const response = await login({ token }, { cookie: planted });
    expect(cookieOf(response)).not.toBe(planted);
    expect((await desk.get("/traces/turns.json", { cookie: planted })).status).toBe(401);
  });

  test("is forged by no change of its cookie", async () => {
    const cookie = await signIn();
    for (let index = cookie.indexOf("=") + 1; index < cookie.length; index += 1) {
      const flipped = String.fromCharCode(cookie.charCodeAt(index) ^ 1);
      const forged = cookie.slice(0, index) + flipped + cookie.slice(index + 1);
      const response = await desk.get("/traces/turns.json", { cookie: forged });
      expect([forged, response.status === 200]).toEqual([forged, false]);
    }
  });

  test("comes as one cookie or not at all", async () => {
    const cookie = await signIn();
    const response = await desk.get("/traces/turns.json", { cookie: `${cookie}; ${cookie}` });
    expect(response.status).toBe(400);
  });

  test("ends when idle, when old, and at once when signed out", async () => {
    const status = async (cookie: string): Promise<number> =>
      (await desk.get("/traces/turns.json", { cookie })).status;
    const idle = await signIn();
    now += 29 * 60_000;
    expect(await status(idle)).toBe(200);
    now += 30 * 60_000;
    expect(await status(idle)).toBe(401);
    const old = await signIn();
    for (let minutes = 0; minutes < 8 * 60 - 20; minutes += 20) {
      now += 20 * 60_000;
      expect(await status(old)).toBe(200);
    }
    now += 20 * 60_000;
    expect(await status(old)).toBe(401);
  });
});

describe("a browser", () => {
  test("is sent to the sign-in page, and comes back", async () => {
    const response = await desk.get("/traces/health", { accept: "text/html" });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/login?next=%2Ftraces%2Fhealth");
    expect((await desk.get("/login")).status).toBe(200);
  });

  test("comes back to its filters", async () => {
    const list = "/traces?agent_id=helper&q=latency%3A%3E2s+-tool%3Asearch";
    const sent = (await desk.get(list, { accept: "text/html" })).headers.get("location") ?? "";
    const next = new URL(sent, "http://localhost").searchParams.get("next") ?? "";
    expect(next).toBe(list);
    expect(await (await desk.get(sent)).text()).toContain(next.replaceAll("&", "&amp;"));
    expect((await login({ token, next })).headers.get("location")).toBe(list);
    const long = await desk.get(`/traces?q=${"x".repeat(2_100)}`, { accept: "text/html" });
    expect(long.headers.get("location")).toBe("/login?next=%2Ftraces");
  });

  test("a script is told to bring a token", async () => {
    const response = await desk.get("/traces/health.json");
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
  });
});

describe("cross-site", () => {
  test("a session's unsafe request needs our origin, same-origin metadata and its token", async () => {
    const cookie = await signIn();
    const csrf = await csrfOf(cookie);
    expect(csrf).toHaveLength(43);
    const good = { origin, "sec-fetch-site": "same-origin", "x-csrf-token": csrf };
    expect(await post(cookie, good)).toBe(200);
    // Another session's token is a wrong one.
    expect(await post(await signIn(), good)).toBe(403);
    const form = await desk.collector.app.request(`${origin}/logout`, {
      method: "POST",
      headers: { cookie, origin, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ csrf_token: csrf }).toString(),
    });
    expect(form.status).toBe(303);
    expect((await desk.get("/traces/turns.json", { cookie })).status).toBe(401);
  });

  test.each([
    ["nothing", {}],
    ["only the origin", { origin }],
    ["a foreign origin", { origin: "http://evil.example" }],
    ["a null origin", { origin: "null" }],
    ["same-site metadata", { origin, "sec-fetch-site": "same-site" }],
    ["cross-site metadata", { origin, "sec-fetch-site": "cross-site" }],
    ["a wrong token", { origin, "sec-fetch-site": "same-origin", "x-csrf-token": "x".repeat(43) }],
  ])("with %s it is refused", async (_what, headers) => {
    expect(await post(await signIn(), headers)).toBe(403);
  });

  test("signing in from a foreign page is refused", async () => {
    expect((await login({ token }, { origin: "http://evil.example" })).status).toBe(403);
    expect((await login({ token }, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  });
});

describe("wrong credentials", () => {
  test("are throttled; valid ones never wait and missing ones are no failure", async () => {
    const wrong = { authorization: "Bearer wrong-q7KxZt4Wm9Rc2Yd8" };
    const right = { authorization: `Bearer ${token}` };
    const statuses: number[] = [];
    for (let index = 0; index < 8; index += 1) {
      statuses.push((await desk.get("/traces/turns.json", wrong)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const throttled = await desk.get("/traces/turns.json", wrong);
    // The delay doubles with each failure.
    expect(Number(throttled.headers.get("retry-after"))).toBe(8);
    expect((await login({ token: "wrong-q7KxZt4Wm9Rc2Yd8" })).status).toBe(429);
    expect((await desk.get("/traces/turns.json", right)).status).toBe(200);
    expect((await login()).status).toBe(303);
    now += 3_600_000;
    for (let index = 0; index < 20; index += 1) {
      expect((await desk.get("/traces/turns.json")).status).toBe(401);
    }
    expect((await desk.get("/traces/turns.json", wrong)).status).toBe(401);
  });
});

describe("an account that the form names", () => {
  const anna = "anna-q7KxZt4Wm9Rc2Yd8";
  let named: Desk;
  beforeAll(async () => {
    const accounts = JSON.stringify({ anna: { token: anna, role: "viewer" } });
    named = await openDesk({ ...env, TURNPROOF_UI_ACCOUNTS: accounts }, { now: () => now });
  });
  afterAll(() => named.collector.close());

  test("opens with its own token alone", async () => {
    expect((await login({ token: anna, account: "Anna " }, {}, named)).status).toBe(303);
    expect((await login({ token: anna }, {}, named)).status).toBe(303);
    expect((await login({ token, account: "anna" }, {}, named)).status).toBe(401);
    expect((await login({ token: anna, account: "otto" }, {}, named)).status).toBe(401);
  });

  test("is not locked out by guesses at it, and guesses wait", async () => {
    let last = await login({ token: "wrong-q7KxZt4Wm9Rc2Yd8", account: "anna" }, {}, named);
    for (let index = 0; index < 8; index += 1) {
      last = await login({ token: "wrong-q7KxZt4Wm9Rc2Yd8", account: "anna" }, {}, named);
    }
    expect([last.status, Number(last.headers.get("retry-after"))]).toEqual([429, 8]);
    const started = performance.now();
    await login({ token: "wrong-q7KxZt4Wm9Rc2Yd8", account: "anna" }, {}, named);
    const guess = performance.now() - started;
    expect((await login({ token: anna, account: "anna" }, {}, named)).status).toBe(303);
    expect(performance.now() - started - guess).toBeLessThan(guess);
  });
});

describe("behind a proxy that ends TLS", () => {
  test("secure cookies bring HSTS, and an Origin of the other scheme is foreign", async () => {
    const secure = await openDesk({ ...env, TURNPROOF_UI_COOKIE_SECURE: "true" });
    const page = await secure.get("/login");
    expect(page.headers.get("strict-transport-security")).toMatch(/^max-age=31536000$/);
    const from = (scheme: string): Record<string, string> => ({
      origin: `${scheme}://localhost:4318`,
    });
    expect((await login({ token }, from("https"), secure)).status).toBe(303);
    expect((await login({ token }, from("http"), secure)).status).toBe(403);
    await secure.collector.close();
    expect((await login({ token }, from("https"))).status).toBe(403);
    expect((await login({ token }, from("http"))).status).toBe(303);
  });

  test("no answer lets a page use a device, and without TLS none asks for it", async () => {
    const page = await desk.get("/login");
    expect(page.headers.get("permissions-policy")).toMatch(/camera=\(\), .*microphone=\(\)/);
    expect(page.headers.get("strict-transport-security")).toBeNull();
  });

  test("wrong credentials are slowed for each client, not for the proxy", async () => {
    const proxied = await openDesk({ ...env, TURNPROOF_PROXY: "10.0.0.0/8" }, { now: () => now });
    const guess = async (client: string): Promise<number> => {
      const headers = {
        authorization: "Bearer wrong-q7KxZt4Wm9Rc2Yd8",
        "x-forwarded-for": client,
      };
      const incoming = { socket: { remoteAddress: "10.0.0.1" } };
      const url = `${origin}/traces/turns.json`;
      return (await proxied.collector.app.request(url, { headers }, { incoming })).status;
    };
    for (let index = 0; index < 5; index += 1) expect(await guess("203.0.113.7")).toBe(401);
    expect(await guess("203.0.113.7")).toBe(429);
    expect(await guess("203.0.113.8")).toBe(401);
    await proxied.collector.close();
  });
});

describe("over a restart", () => {
  test("a session lives on, a logout stays one, a replaced token ends its sessions", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "turnproof-restart-"));
    const persistent = { TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "clickhouse" };
    const open = (value: string): Promise<Desk> =>
      openDesk(
        { ...persistent, TURNPROOF_UI_AUTH_TOKEN: value },
        { store: desk.store, now: () => now },
      );
    const first = await open(token);
    const kept = await signIn(first);
    const ended = await signIn(first);
    // Signing in again ends the session that came along.
    await login({ token }, { cookie: ended }, first);
    await first.collector.close();

    const second = await open(token);
    expect((await second.get("/traces/turns.json", { cookie: kept })).status).toBe(200);
    expect((await second.get("/traces/turns.json", { cookie: ended })).status).toBe(401);
    await second.collector.close();
    const third = await open("another-q7KxZt4Wm9Rc2Yd8");
    expect((await third.get("/traces/turns.json", { cookie: kept })).status).toBe(401);
    await third.collector.close();
  });
});
