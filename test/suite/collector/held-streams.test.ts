/** Streams end with the session or the account that opened them, and one account holds a few. */
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { serve } from "@hono/node-server";
import type { TurnEvent } from "@turnproof/evidence";
import type { AgentPort } from "turnproof";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const origin = "http://localhost:4318";
const tokenOf = (name: string): string => `${name}-q7KxZt4Wm9Rc2Yd8`;
const account = (name: string, role: string): object => ({ token: tokenOf(name), role });
const file = join(mkdtempSync(join(tmpdir(), "turnproof-accounts-")), "accounts.json");
const allTenants = {
  ada: account("ada", "operator"),
  bea: account("bea", "operator"),
  cleo: account("cleo", "operator"),
};

/** An agent that never sends more than its first word. */
const agents: AgentPort = {
  list: async () => ["desk"],
  run: async () => ({ text: "" }),
  async *stream(_agent, _input, { signal }) {
    yield { type: "run.started" };
    // The stream can end before the next step is requested: then no listener would be called.
    if (signal.aborted) return;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  },
};

let desk: Desk;
let now = Date.parse("2026-11-22T12:00:00Z");
beforeAll(async () => {
  writeFileSync(file, JSON.stringify(allTenants));
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: file }, { now: () => now, hooks: { agents } });
});
afterAll(() => desk.collector.close());

interface Signed {
  readonly cookie: string;
  readonly csrf: string;
}

async function signIn(name: string): Promise<Signed> {
  const response = await desk.collector.app.request(`${origin}/login`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin },
    body: new URLSearchParams({ token: tokenOf(name) }).toString(),
  });
  const cookie = (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const page = await (await desk.get("/settings", { cookie })).text();
  return { cookie, csrf: /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? "" };
}

async function signOut({ cookie, csrf }: Signed): Promise<void> {
  const response = await desk.collector.app.request(`${origin}/logout`, {
    method: "POST",
    headers: { cookie, origin, "x-csrf-token": csrf },
  });
  expect(response.status).toBe(303);
}

const waitMs = 30_000;

/** A wait that ends: one that does not names what is missing, where a test would hang. */
async function within<T>(what: string, wanted: T | Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = sleep(waitMs, undefined, over).then(() => {
    throw new Error(`without ${what} for ${waitMs} ms`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([wanted, late]);
  } finally {
    over.abort();
  }
}

interface Open {
  readonly status: number;
  readonly text: () => string;
  /** Resolves when the stream ended. */
  readonly ended: Promise<void>;
  cancel(): Promise<void>;
}

async function read(response: Response): Promise<Open> {
  let text = "";
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const begun = Promise.withResolvers<void>();
  const ended = (async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: "" };
      begun.resolve();
      if (done) return;
      text += value;
    }
  })().catch((error: unknown) => begun.reject(error));
  await within("the first bytes of a stream", begun.promise);
  const cancel = async (): Promise<void> => {
    await within(
      "a cancelled stream",
      reader?.cancel().catch(() => {}),
    );
    await within("the end of a cancelled stream", ended);
  };
  return { status: response.status, text: () => text, ended, cancel };
}

const tail = async (headers: Record<string, string>): Promise<Open> =>
  read(await desk.get("/traces/live", headers));

async function playground({ cookie, csrf }: Signed): Promise<Open> {
  const response = await desk.collector.app.request(`${origin}/agents/desk/playground/stream`, {
    method: "POST",
    headers: { cookie, origin, "x-csrf-token": csrf },
    body: new URLSearchParams({ query: "Hello" }),
  });
  return read(response);
}

const endStated = 'event: end\ndata: {"code":"session_ended"}\n\n';

async function endsSoon(stream: Open): Promise<void> {
  await within("the end of a stream", stream.ended);
  expect(stream.text()).toMatch(new RegExp(`${endStated}$`));
}

async function isOpen(stream: Open): Promise<void> {
  expect(await Promise.race([stream.ended.then(() => "ended"), sleep(50, "open")])).toBe("open");
}

async function put(root: string): Promise<readonly TurnEvent[]> {
  const events = turnEvents({ root });
  await desk.put(events, new Date(now).toISOString().replace("Z", "000Z"));
  return events;
}

describe("a stream ends", () => {
  test("at the sign-out of its own session, and nothing comes after it", async () => {
    const [ada, other] = [await signIn("ada"), await signIn("ada")];
    const streams = [await tail({ cookie: ada.cookie }), await playground(ada)];
    const stays = await tail({ cookie: other.cookie });
    await signOut(ada);
    await put("after-the-logout");
    await Promise.all(streams.map(endsSoon));
    for (const stream of streams) expect(stream.text()).not.toContain("after-the-logout");
    await isOpen(stays);
    expect((await tail({ cookie: ada.cookie })).status).toBe(401);
    await stays.cancel();
  });

  test("when its session is idle, and watching keeps no session awake", async () => {
    const ada = await signIn("ada");
    const stream = await tail({ cookie: ada.cookie });
    now += 29 * 60_000;
    await isOpen(stream);
    now += 2 * 60_000;
    await endsSoon(stream);
    expect((await tail({ cookie: ada.cookie })).status).toBe(401);
  });

  test("when its session is eight hours old, however busy", async () => {
    const ada = await signIn("ada");
    const stream = await tail({ cookie: ada.cookie });
    for (let minutes = 0; minutes < 8 * 60 - 20; minutes += 20) {
      now += 20 * 60_000;
      expect((await desk.get("/traces/turns.json", { cookie: ada.cookie })).status).toBe(200);
    }
    await isOpen(stream);
    now += 20 * 60_000;
    await endsSoon(stream);
  });

  test("when its account is revoked or has another role, by session and by token", async () => {
    const [ada, bea, cleo] = [await signIn("ada"), await signIn("bea"), await signIn("cleo")];
    const ends = [
      await tail({ cookie: ada.cookie }),
      await tail({ authorization: `Bearer ${tokenOf("ada")}` }),
      await tail({ cookie: bea.cookie }),
      await playground(bea),
    ];
    const stays = [await tail({ cookie: cleo.cookie }), await playground(cleo)];
    const { ada: _revoked, ...rest } = allTenants;
    writeFileSync(file, JSON.stringify({ ...rest, bea: account("bea", "viewer") }));
    await Promise.all(ends.map(endsSoon));
    for (const stream of stays) await isOpen(stream);
    expect((await desk.get("/traces/turns.json", { cookie: ada.cookie })).status).toBe(401);
    // Another role is another session.
    expect((await desk.get("/traces/turns.json", { cookie: bea.cookie })).status).toBe(401);
    const me = { authorization: `Bearer ${tokenOf("bea")}` };
    expect(JSON.stringify(await desk.json("/settings.json", me))).toContain("viewer");
    // A file that cannot be read changes nothing; an empty one lets no one in.
    writeFileSync(file, "{ not json");
    await sleep(2_500);
    for (const stream of stays) await isOpen(stream);
    writeFileSync(file, "{}");
    await Promise.all(stays.map(endsSoon));
    expect((await desk.get("/traces/turns.json")).status).toBe(401);
    writeFileSync(file, JSON.stringify(allTenants));
    const again = { authorization: `Bearer ${tokenOf("ada")}` };
    for (let waited = 0; waited < 8_000; waited += 100) {
      if ((await desk.get("/traces/turns.json", again)).status === 200) break;
      await sleep(100);
    }
    expect((await desk.get("/traces/turns.json", again)).status).toBe(200);
  });

  test("though its reader reads nothing: the connection is cut", async () => {
    const ada = await signIn("ada");
    const server = serve({ fetch: desk.collector.app.fetch, hostname: "127.0.0.1", port: 0 });
    await within("a listening server", once(server, "listening"));
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, "127.0.0.1");
    try {
      socket.write(
        `GET /traces/live HTTP/1.1\r\nHost: localhost:4318\r\nCookie: ${ada.cookie}\r\n\r\n`,
      );
      await within("an answer", once(socket, "data"));
      socket.on("error", () => {});
      socket.pause();
      // More than what the socket's buffers take.
      for (let index = 0; index < 400; index += 1) {
        await put(`unread-${index}-${"x".repeat(200)}`);
      }
      await sleep(500);
      await signOut(ada);
      const open = (): Promise<number> =>
        new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
      for (let waited = 0; waited < waitMs && (await open()) > 0; waited += 50) await sleep(50);
      expect(await open()).toBe(0);
    } finally {
      // A server with an open connection does not close.
      socket.destroy();
      await within("a closed server", new Promise((resolve) => server.close(resolve)));
    }
  });
});

test("an account holds 24 streams; the next is refused with a code until one is closed", async () => {
  const ada = { authorization: `Bearer ${tokenOf("ada")}` };
  const held: Open[] = [];
  for (let index = 0; index < 24; index += 1) held.push(await tail(ada));
  expect(held.every(({ status }) => status === 200)).toBe(true);
  const refused = await desk.get("/traces/live", ada);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: "streams_full" });
  const signed = await signIn("ada");
  expect((await playground(signed)).status).toBe(429);
  const other = await tail({ authorization: `Bearer ${tokenOf("bea")}` });
  expect(other.status).toBe(200);
  await held.pop()?.cancel();
  await sleep(50);
  const next = await tail(ada);
  expect(next.status).toBe(200);
  await Promise.all([...held, other, next].map((stream) => stream.cancel()));
});
