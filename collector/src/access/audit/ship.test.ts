/** Checkpoints reach a file, syslog servers, a webhook and a bucket, also after these were away. */
import { createHash } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, Server } from "node:http";
import { createServer as createTcp } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { expect, test, vi } from "vitest";

import { shipTargets } from "../../config/ship-targets.ts";
import { createLog } from "../../log.ts";
import type { Log } from "../../log.ts";
import { createShipper } from "./ship.ts";
import type { ShipOptions } from "./ship.ts";

interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function receiver(
  status: () => number = () => 200,
): Promise<{ readonly server: Server; readonly port: number; readonly arrived: Arrived[] }> {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    void text(request).then((body) => {
      arrived.push({ method, url, headers, body });
      response.writeHead(status()).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port, arrived };
}

const warnings: string[] = [];
const log: Log = { info: () => {}, warn: (event) => void warnings.push(event), error: () => {} };
const shipper = (targets: string, more: Partial<ShipOptions> = {}) =>
  createShipper({ targets: shipTargets.parse(targets), secrets: {}, log, retryMs: 20, ...more });
const note = "test/audit\n7\nAAAA\n\n\u2014 test/audit BBBB\n";

test("a file gets each note at its end, private", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "turnproof-ship-")), "kept");
  const to = shipper(`file:${path}`);
  to.ship(7, note);
  await vi.waitFor(() => expect(to.state.shipped).toBe(7));
  to.ship(9, note);
  await to.close(1_000);
  expect(readFileSync(path, "utf8")).toBe(note + note);
});

test("a full disk leaves no part of a note in a file, which gets the newest when there is room", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "turnproof-ship-")), "kept");
  const disk = { left: note.length + 20 };
  const append: ShipOptions["append"] = async (handle, text) => {
    const part = text.slice(0, disk.left);
    await handle.appendFile(part);
    disk.left -= part.length;
    if (part !== text) throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  const to = shipper(`file:${path}`, { append, log: { ...log, warn: () => {} } });
  to.ship(7, note);
  await vi.waitFor(() => expect(to.state.shipped).toBe(7));
  disk.left = 20;
  to.ship(8, `${note}8`);
  await vi.waitFor(() => expect(to.state.failures).toBeGreaterThan(1));
  expect(readFileSync(path, "utf8")).toBe(note);
  to.ship(9, `${note}9`);
  disk.left = 1_000;
  await vi.waitFor(() => expect(to.state).toMatchObject({ shipped: 9, failing: 0 }));
  expect(readFileSync(path, "utf8")).toBe(`${note}${note}9`);
  await to.close(1_000);
});

test("syslog servers get one line, over UDP and TCP", async () => {
  const udp = createSocket("udp4");
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");
  const messages: string[] = [];
  udp.on("message", (message) => messages.push(message.toString()));
  const tcp = createTcp((socket) => void text(socket).then((message) => messages.push(message)));
  tcp.listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const ports = [udp.address().port, (tcp.address() as AddressInfo).port];
  const to = shipper(`syslog://127.0.0.1:${ports[0]}, syslog+tcp://127.0.0.1:${ports[1]}`);
  to.ship(7, note);
  await vi.waitFor(() => expect(messages).toHaveLength(2));
  for (const message of messages) {
    expect(message).toMatch(/<109>1 \S+ \S+ turnproof \d+ audit - checkpoint=\S+$/);
    const base64 = /checkpoint=(\S+)$/.exec(message)?.[1] ?? "";
    expect(Buffer.from(base64, "base64").toString()).toBe(note);
  }
  const framed = messages.find((message) => /^\d+ /.test(message)) ?? "";
  const [length = "", ...rest] = framed.split(" ");
  expect(Buffer.byteLength(rest.join(" "))).toBe(Number(length));
  await to.close(1_000);
  udp.close();
  tcp.close();
});

test("a webhook that was away gets the newest note, with its token", async () => {
  let status = 503;
  const { server, port, arrived } = await receiver(() => status);
  const token = "webhook-q7KxZt4Wm9Rc2Yd8";
  const to = shipper(`http://127.0.0.1:${port}/hook`, { secrets: { webhookToken: token } });
  to.ship(7, note);
  await vi.waitFor(() => expect(to.state.failures).toBeGreaterThan(1));
  expect(to.state).toMatchObject({ targets: 1, shipped: null, failing: 1 });
  to.ship(8, `${note}8`);
  to.ship(9, `${note}9`);
  status = 204;
  await vi.waitFor(() => expect(to.state).toMatchObject({ shipped: 9, failing: 0 }));
  const last = arrived.at(-1);
  expect([last?.method, last?.url, last?.body]).toEqual(["POST", "/hook", `${note}9`]);
  expect(last?.headers.authorization).toBe(`Bearer ${token}`);
  // Once for an outage, however many attempts it had.
  expect(warnings.filter((event) => event === "audit_not_shipped")).toHaveLength(1);
  await to.close(1_000);
  server.close();
});

test("a bucket gets an object of its own for each size, signed for S3", async () => {
  const { server, port, arrived } = await receiver();
  const s3 = { keyId: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI", region: "eu-central-1" };
  const to = shipper(`s3+http://127.0.0.1:${port}/bucket/audit/`, { secrets: { s3 } });
  to.ship(1_234, note);
  await vi.waitFor(() => expect(to.state.shipped).toBe(1_234));
  const [put] = arrived;
  expect([put?.method, put?.url, put?.body]).toEqual([
    "PUT",
    expect.stringMatching(/^\/bucket\/audit\/[0-9a-f]{8}\/000000001234-[0-9a-f]{16}\.checkpoint$/),
    note,
  ]);
  expect(put?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/s3\/aws4_request, /,
  );
  const digest = createHash("sha256").update(note).digest();
  expect(put?.headers["x-amz-content-sha256"]).toBe(digest.toString("hex"));
  expect(put?.headers["x-amz-checksum-sha256"]).toBe(digest.toString("base64"));
  const signed = /SignedHeaders=([^,]+)/.exec(put?.headers.authorization ?? "")?.[1]?.split(";");
  expect(signed).toContain("x-amz-checksum-sha256");
  expect(JSON.stringify(put)).not.toContain(s3.secret);
  await to.close(1_000);
  server.close();
});

test("a stop gives a note on its way a last chance, and ends in time", async () => {
  const { server, port, arrived } = await receiver(() => (arrived.length < 2 ? 500 : 200));
  const to = shipper(`http://127.0.0.1:${port}/`, { retryMs: 3_600_000 });
  to.ship(7, note);
  await vi.waitFor(() => expect(to.state.failures).toBe(1));
  await to.close(5_000);
  expect(arrived).toHaveLength(2);
  expect(to.state.shipped).toBe(7);
  const away = shipper("http://127.0.0.1:9/", { retryMs: 3_600_000 });
  away.ship(7, note);
  await away.close(200);
  server.close();
});

test("targets have no credentials in their address", () => {
  const good = ["file:/a", "file:///a", "syslog://h", "syslog+tcp://[::1]:9", "https://h/p?q=1"];
  for (const target of [...good, "s3+https://h/bucket"]) {
    expect([target, shipTargets.safeParse(target).success]).toEqual([target, true]);
  }
  const bad = ["https://a:b@h/", "s3+https://h", "ftp://h/", "s3+syslog://h", "h", "file:"];
  for (const target of bad) {
    expect([target, shipTargets.safeParse(target).success]).toEqual([target, false]);
  }
});

test("a syslog server that keeps its side open has the message once", async () => {
  const messages: string[] = [];
  const tcp = createTcp({ allowHalfOpen: true }, (socket) => {
    socket.on("data", (data) => messages.push(data.toString()));
    socket.on("error", () => {});
  });
  tcp.listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const to = shipper(`syslog+tcp://127.0.0.1:${(tcp.address() as AddressInfo).port}`);
  to.ship(7, note);
  await vi.waitFor(() => expect(to.state).toMatchObject({ shipped: 7, failing: 0, failures: 0 }));
  expect(messages).toHaveLength(1);
  await to.close(1_000);
  tcp.close();
});

test("the log has the kind of a target that does not take checkpoints, and a code", async () => {
  const { server, port } = await receiver(() => 403);
  const moved = await receiver(() => 301);
  const gone = await receiver();
  gone.server.close();
  const folder = mkdtempSync(join(tmpdir(), "turnproof-ship-"));
  const cases = [
    [`file:${folder}`, "file", "EISDIR"],
    [`http://127.0.0.1:${port}/secret-path`, "webhook", "HTTP_403"],
    [`http://127.0.0.1:${moved.port}/`, "webhook", "HTTP_301"],
    [`http://127.0.0.1:${gone.port}/`, "webhook", "ECONNREFUSED"],
    [`syslog+tcp://127.0.0.1:${gone.port}`, "syslog", "ECONNREFUSED"],
  ] as const;
  for (const [where, target, reason] of cases) {
    const lines: string[] = [];
    const to = shipper(where, { log: createLog("json", (line) => void lines.push(line)) });
    to.ship(7, note);
    await vi.waitFor(() => expect(to.state.failing).toBe(1));
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      event: "audit_not_shipped",
      target,
      reason,
    });
    expect(lines.join("")).not.toMatch(/127\.0\.0\.1|secret-path/);
    await to.close(100);
  }
  server.close();
  moved.server.close();
});
