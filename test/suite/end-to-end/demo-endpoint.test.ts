/** `npm run demo` prints where it sends before it sends, and one coded line where it cannot. */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

import { afterAll, expect, test } from "vitest";

import { endpointOf } from "../../apps/demo-endpoint.ts";

const demo = fileURLToPath(new URL("../../apps/demo.ts", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

function run(...args: readonly string[]): Promise<Ended> {
  const { PATH } = process.env;
  const child = spawn(process.execPath, ["-C", "@turnproof/source", demo, ...args], {
    env: { PATH },
  });
  let [out, error] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, error })));
}

const closes: (() => void)[] = [];
afterAll(() => {
  for (const close of closes) close();
});

/** A server that responds to health with a status; returns its address. */
async function server(status: number): Promise<string> {
  const listening = createServer((request, response) => {
    response.statusCode = request.url === "/healthz" ? status : 503;
    response.end();
  });
  await new Promise<void>((resolve) => {
    listening.listen(0, "127.0.0.1", resolve);
  });
  closes.push(() => listening.close().closeAllConnections());
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

test("without a collector it ends with one coded line, and sends nothing", async () => {
  const away = "http://127.0.0.1:9";
  const other = await server(404);
  for (const [endpoint, code, words] of [
    [away, "unreachable", `${away} (no answer)`],
    [other, "unreachable", `${other} (status 404)`],
    ["localhost:4318", "url_invalid", "--endpoint"],
    ["http://ann:secret@127.0.0.1:9", "url_invalid", "--endpoint"],
  ] as const) {
    const ended = await run("--endpoint", endpoint, "--week");
    expect([ended.code, ended.out]).toEqual([1, ""]);
    expect(ended.error.trim().split("\n")).toHaveLength(1);
    expect(ended.error).toMatch(new RegExp(`^${code}: `));
    expect(ended.error).toContain(words);
    expect(ended.error).not.toContain("secret");
  }
});

test("the address is printed before anything is sent", async () => {
  const endpoint = await server(200);
  // Too few turns end it before the first one.
  const { out } = await run("--endpoint", `${endpoint}/`, "--week", "--turns", "1");
  expect(out).toBe(`Sends a week to ${endpoint}\n`);
});

test("the option comes before the variable, and the variable before the default", () => {
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://two.example:1/base/" };
  expect(endpointOf("https://one.example/", variables)).toBe("https://one.example");
  expect(endpointOf(undefined, variables)).toBe("http://two.example:1/base");
  expect(endpointOf(undefined, {})).toBe("http://127.0.0.1:4318");
});
