/**
 * The edge on raw sockets: Host, path, smuggling, limits of headers and connections, slow clients
 * (faults H10, H11, W2, W3, W9).
 */
import { networkInterfaces } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { createClientNetwork } from "../../../collector/src/access/client-address.ts";
import { isLoopback } from "../../../collector/src/config/loopback.ts";
import { createLog } from "../../../collector/src/log.ts";
import { listen } from "../../../collector/src/server.ts";
import { openHarness } from "./harness.ts";
import type { Harness } from "./harness.ts";
import { exchange, open, statuses } from "./raw-socket.ts";

let harness: Harness;
let port = 0;
beforeAll(async () => {
  const limits = { headersTimeoutMs: 1_000, requestTimeoutMs: 2_000, checkIntervalMs: 200 };
  harness = await openHarness({
    listen: { ...limits, names: ["traces.example", "[fd00::1]:4318"] },
  });
  port = harness.server.port;
});
afterAll(() => harness.close());

const get = (target: string, host: string): string =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

describe("Host", () => {
  test.each([
    "localhost",
    "LOCALHOST",
    "127.0.0.1",
    "127.0.0.1:4318",
    "[::1]:4318",
    "traces.example",
    "traces.example:80",
    "[fd00::1]",
  ])("%s is served", async (host) => {
    expect(statuses(await exchange(port, get("/healthz", host)))).toEqual([200]);
  });

  test.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "localhost,evil.example",
    "localhost evil.example",
    "localhost:80:80",
    "localhost:port",
    "user@localhost",
    "localhost/",
    "localhost#",
    "localhost.",
    "127.1",
    "2130706433",
    "[::ffff:127.0.0.1]",
    "[::2]",
    "[::1",
    "169.254.169.254",
    "",
  ])("%j is refused before any route", async (host) => {
    const answer = await exchange(port, get("/healthz", host));
    expect(statuses(answer)).toEqual([421]);
    expect(answer).toContain("host_refused");
    expect(answer).toContain(
      "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; " +
        "connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; " +
        "form-action 'self'; frame-ancestors 'none'\r\n",
    );
    if (host !== "") expect(answer).not.toContain(host);
  });

  test("two Hosts, no Host, and an absolute target are refused", async () => {
    const two =
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    const none = "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n";
    const old = "GET /healthz HTTP/1.0\r\n\r\n";
    const forwarded =
      "GET /healthz HTTP/1.1\r\nHost: evil\r\nX-Forwarded-Host: localhost\r\nConnection: close\r\n\r\n";
    expect([400, 421]).toContain(statuses(await exchange(port, two))[0]);
    expect(statuses(await exchange(port, none))).toEqual([400]);
    expect(statuses(await exchange(port, old))).toEqual([421]);
    expect(statuses(await exchange(port, forwarded))).toEqual([421]);
    for (const target of [
      "http://localhost/healthz",
      "http://evil.example/healthz",
      "//evil/healthz",
    ]) {
      expect(statuses(await exchange(port, get(target, "localhost")))).toEqual([400]);
    }
  });
});

describe("a path in another spelling never reaches a route", () => {
  const spellings = [
    "//healthz",
    "/healthz//",
    "/x//healthz",
    "/./healthz",
    "/healthz/.",
    "/x/../healthz",
    "/..",
    "/healthz/..",
    "/%2e%2e/healthz",
    "/%2E/healthz",
    "/%2fhealthz",
    "/%2Fhealthz",
    "/x%2fhealthz",
    "/%5chealthz",
    "/\\healthz",
    "/x\\..\\healthz",
    "/healthz%00",
    "/%00/healthz",
    "/healthz;jsessionid=1",
    "/;/healthz",
    "/healthz%3bx",
    "/healthz#x",
    "/%252fhealthz",
    "/%252e%252e/healthz",
    "/%25%32%66healthz",
    "/healthz%0d%0ax",
    "/%zz",
    "/%2",
    "/%",
    "*",
    "healthz",
    "/healthz\u00e9",
    "/\u0001",
    "/health\tz",
    "/v1/traces/../../healthz",
    "/v1//traces",
    "/v1/%2e/traces",
    "/v1%2ftraces",
    "/v1/traces;x=1",
  ];
  test.each(spellings)("%j", async (target) => {
    const answer = await exchange(port, get(target, "localhost"));
    expect(statuses(answer)).toEqual([400]);
    expect(answer).not.toContain("\r\n\r\nok");
  });

  test("a wrong case or a slash more is another path, which is not there", async () => {
    for (const target of ["/HEALTHZ", "/healthz/", "/Healthz"]) {
      expect(statuses(await exchange(port, get(target, "localhost")))).toEqual([404]);
    }
    expect(statuses(await exchange(port, get("/healthz?a=//..%2f;", "localhost")))).toEqual([200]);
  });
});

describe("smuggling and broken messages", () => {
  const head =
    "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n";
  const smuggled = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  test.each([
    [
      "both lengths",
      `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      "two lengths that differ",
      `${head}Content-Length: 0\r\nContent-Length: 40\r\n\r\n${smuggled}`,
    ],
    ["a length with a sign", `${head}Content-Length: +4\r\n\r\nabcd`],
    ["a length in hexadecimal", `${head}Content-Length: 0x4\r\n\r\nabcd`],
    ["a length list", `${head}Content-Length: 4, 4\r\n\r\nabcd`],
    ["a transfer coding nobody knows", `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ["chunked twice", `${head}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`],
    ["chunked before something", `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ["a bad chunk size", `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`],
    ["a negative chunk size", `${head}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n`],
    ["line feeds alone", `${head.replaceAll("\r\n", "\n")}\n`],
    ["a space before the colon", "GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n"],
    ["a folded header", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n"],
    ["a NUL in a header", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n"],
    ["version 9.9", "GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n"],
    ["a method nobody knows", "SMUGGLE /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["HTTP/2 without an upgrade", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["TLS on a plain port", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000"],
  ])("%s", async (_name, sent) => {
    const answer = await exchange(port, Buffer.from(sent, "latin1"));
    expect(statuses(answer)[0] ?? 400).toBe(400);
    expect(answer).not.toContain("\r\n\r\nok");
    expect(statuses(answer).length).toBeLessThanOrEqual(1);
  });

  test.each(["TRACE", "PROPFIND", "REPORT"])("%s is a method of nobody", async (method) => {
    const sent = `${method} /v1/traces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    expect(statuses(await exchange(port, sent))).toEqual([405]);
  });

  test.each(["localhost:80", "/v1/traces"])("CONNECT %s is no tunnel", async (target) => {
    const answer = await exchange(port, `CONNECT ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(statuses(answer).filter((status) => status < 400)).toEqual([]);
  });

  test("a refused body is not read as the next request", async () => {
    const sent = `${head.replace("application/x-protobuf", "text/plain")}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
    expect(statuses(await exchange(port, sent, 500))).toEqual([415]);
  });

  test("an expectation that nobody knows is refused, and no other protocol is changed to", async () => {
    const plain = `${head}Content-Length: 0\r\nConnection: close\r\n`;
    expect(statuses(await exchange(port, `${plain}Expect: 200-ok\r\n\r\n`))).toEqual([417]);
    expect(statuses(await exchange(port, `${plain}Upgrade: h2c\r\n\r\n`))).toEqual([200]);
  });

  test("the oldest form of a request has no Host", async () => {
    expect(statuses(await exchange(port, "GET /healthz\r\n\r\n"))).toEqual([421]);
  });

  test("headers without end, and too many of them", async () => {
    const long = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(9_000)}\r\n\r\n`;
    expect(statuses(await exchange(port, long))).toEqual([431]);
    const url = get(`/healthz?${"x".repeat(9_000)}`, "localhost");
    expect([400, 431]).toContain(statuses(await exchange(port, url))[0]);
  });

  test.each(["67108865", "9007199254740993", "18446744073709551615"])(
    "a body of %s bytes is refused by its length, unread",
    async (length) => {
      const sent = `${head}Content-Length: ${length}\r\n\r\n`;
      expect(statuses(await exchange(port, sent))).toEqual([413]);
    },
  );

  test("a length beyond 64 bits is no length", async () => {
    const sent = `${head}Content-Length: 18446744073709551616\r\n\r\n`;
    expect(statuses(await exchange(port, sent))).toEqual([400]);
  });
});

describe("slow clients", () => {
  test.each([
    ["with a length", "Content-Length: 100000\r\n", "x"],
    ["in chunks", "Transfer-Encoding: chunked\r\n", "1\r\nx\r\n"],
  ])(
    "a body that comes by single bytes, %s, ends with a code",
    { timeout: 30_000 },
    async (...of) => {
      const [, framing, bytes] = of;
      const socket = await open(port);
      socket.on("error", () => {});
      let answer = "";
      let closed = false;
      socket.on("data", (chunk: Buffer) => (answer += chunk.toString("latin1")));
      socket.once("close", () => (closed = true));
      const type = "Content-Type: application/x-protobuf\r\n";
      socket.write(`POST /v1/traces HTTP/1.1\r\nHost: localhost\r\n${type}${framing}\r\n`);
      for (let sent = 0; !closed && answer === "" && sent < 200; sent += 1) {
        socket.write(bytes);
        await sleep(100);
      }
      expect(statuses(answer)).toEqual([408]);
      socket.destroy();
      expect((await fetch(`${harness.server.url}/healthz`)).status).toBe(200);
      await vi.waitFor(() => expect(harness.receiver.conservation().in_flight).toBe(0));
    },
  );

  test(
    "dozens of them do not keep a request waiting, and are cut",
    { timeout: 20_000 },
    async () => {
      const sockets = await Promise.all(Array.from({ length: 120 }, () => open(port)));
      let uncut = sockets.length;
      const gone = sockets.map((socket) => {
        socket.resume();
        return new Promise<void>((resolve) => {
          socket.on("close", () => {
            uncut -= 1;
            resolve();
          });
        });
      });
      for (const [index, socket] of sockets.entries()) {
        socket.on("error", () => {});
        socket.write(
          index % 2 === 0
            ? "GET /healthz HTTP/1.1\r\nHost: local"
            : "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Length: 1000\r\n\r\nabc",
        );
      }
      const answer = await fetch(`${harness.server.url}/healthz`);
      expect(answer.status).toBe(200);
      // Served beside them, and not because they were gone.
      expect(uncut).toBeGreaterThan(0);
      await Promise.all(gone);
      expect(harness.receiver.conservation().in_flight).toBe(0);
    },
  );
});

describe("the last resort", () => {
  test("a failure without a handler prints a code and a request id alone", async () => {
    const lines: string[] = [];
    const log = createLog("json", (line) => void lines.push(line));
    const app = { fetch: () => Promise.reject(new Error("CANARYzq7 postgres://user:secret@db")) };
    const server = await listen(app, { host: "127.0.0.1", port: 0, log });
    const answer = await fetch(server.url);
    const body = await answer.text();
    expect(answer.status).toBe(500);
    expect(body + lines.join("")).not.toMatch(/CANARYzq7|secret|postgres/);
    expect(JSON.parse(body)).toMatchObject({ code: "internal_error" });
    expect(lines.join("")).toContain((JSON.parse(body) as { request_id: string }).request_id);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    await server.close();
  });

  test("a taken port is a code", async () => {
    const app = new Hono();
    const log = createLog("json", () => {});
    await expect(listen(app, { host: "127.0.0.1", port, log })).rejects.toMatchObject({
      code: "listen_failed",
    });
  });

  test("a close lets a request finish", async () => {
    const log = createLog("json", () => {});
    const begun = Promise.withResolvers<void>();
    const app = new Hono().get("/", async (c) => {
      begun.resolve();
      await sleep(300);
      return c.text("finished");
    });
    const server = await listen(app, { host: "127.0.0.1", port: 0, log });
    const answer = fetch(server.url);
    await begun.promise;
    await server.close(5_000);
    expect(await (await answer).text()).toBe("finished");
    await expect(fetch(server.url)).rejects.toThrow();
  });
});

test("plain HTTP is taken from loopback and declared proxies alone", async () => {
  const log = createLog("json", () => {});
  const app = new Hono().get("/", (c) => c.text("served"));
  const at = { host: "0.0.0.0", port: 0, log };
  const own = Object.values(networkInterfaces())
    .flatMap((rows) => rows ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
  const peers = ["127.0.0.1", ...(own === undefined ? [] : [own])];
  for (const proxy of [undefined, ["203.0.113.0/24"], "any"] as const) {
    const { admits } = createClientNetwork(proxy);
    const server = await listen(app, { ...at, admits, names: peers });
    for (const peer of peers) {
      const answer = await fetch(`http://${peer}:${server.port}/`);
      const status = peer === "127.0.0.1" || proxy === "any" ? 200 : 403;
      expect([proxy, peer, answer.status]).toEqual([proxy, peer, status]);
      if (status === 403) expect(await answer.text()).toContain("plain_http_refused");
    }
    await server.close();
  }
  // Without another address of this machine: the rule itself, on a real connection.
  const server = await listen(app, { ...at, host: "127.0.0.1", admits: () => false });
  expect((await fetch(server.url)).status).toBe(403);
  await server.close();
});

test("loopback is what only this machine can reach (W1)", () => {
  const loopback = ["localhost", "127.0.0.1", "127.8.9.1", "::1", "[::1]"];
  const elsewhere = [
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "localhost.example",
    "127.0.0.1.example",
    "",
    "*",
  ];
  expect(loopback.filter((host) => !isLoopback(host))).toEqual([]);
  expect(elsewhere.filter((host) => isLoopback(host))).toEqual([]);
});
