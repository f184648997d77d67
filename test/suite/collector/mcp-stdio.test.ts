/** `turnproof mcp` over stdio: the official client starts it in front of a running collector. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { ephemeral } from "@turnproof/store";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { Listening } from "../../../collector/src/http/connections.ts";
import { listen } from "../../../collector/src/server.ts";
import { openDesk, quiet, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { call } from "./mcp-client.ts";

const main = fileURLToPath(new URL("../../../collector/dist/program/main.js", import.meta.url));
const token = "operator-q7KxZt4Wm9Rc2Yd8";

let desk: Desk;
let server: Listening;
beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_AUTH_TOKEN: token }, { store: ephemeral(), judge: false });
  await desk.put(turnEvents({ root: "root-1", user: "alice" }));
  server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
});
afterAll(async () => {
  await server.close(1_000);
  await desk.collector.close();
});

async function started(secret: string, url: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const args = [main, "mcp", "--url", url];
  const env = { TURNPROOF_TOKEN: secret, PATH: process.env["PATH"] ?? "" };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  return client;
}

test("the command answers with the rights of its token", async () => {
  const client = await started(token, server.url);
  const { text } = await call(client, "why_did_this_turn_fail", { id: "root-1" });
  expect(text).toContain("root root-1, agent helper");
  expect(text).toContain(`page: ${server.url}/traces/root-1`);
  await client.close();
});

test("a wrong token and an absent collector are answers with a code", async () => {
  const wrong = await started("wrong-q7KxZt4Wm9Rc2Yd8", server.url);
  const refused = await call(wrong, "is_telemetry_being_lost", {});
  expect(refused).toMatchObject({
    refused: true,
    text: expect.stringMatching(/^unauthenticated: /),
  });
  await wrong.close();
  const alone = await started(token, "http://127.0.0.1:9");
  const nowhere = await call(alone, "is_telemetry_being_lost", {});
  expect(nowhere).toMatchObject({ refused: true, text: expect.stringMatching(/^unreachable: /) });
  await alone.close();
});

test("requests before the end of the input are answered, and then the command ends", async () => {
  const child = spawn(process.execPath, [main, "mcp", "--url", server.url], {
    env: { TURNPROOF_TOKEN: token, PATH: process.env["PATH"] ?? "" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => void child.once("exit", resolve));
  const calls = ["why_did_this_turn_fail", "is_telemetry_being_lost", "find_by_id"];
  const opening = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const messages = [
    { id: 0, method: "initialize", params: opening },
    { method: "notifications/initialized" },
    ...calls.map((name, index) => ({
      id: index + 1,
      method: "tools/call",
      params: { name, arguments: name === "is_telemetry_being_lost" ? {} : { id: "root-1" } },
    })),
    // A call that is given up has no answer, and nothing waits for one.
    { id: 9, method: "tools/call", params: { name: "find_by_id", arguments: { id: "x" } } },
    { method: "notifications/cancelled", params: { requestId: 9 } },
  ];
  child.stdin.end(
    messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""),
  );
  const lines = (await text(child.stdout)).trim().split("\n");
  const answers = lines.map((line) => JSON.parse(line) as { id: number; result?: object });
  expect(await ended).toBe(0);
  const ids = answers.map(({ id }) => id).filter((id) => id !== 9);
  expect(ids.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
  for (const { result } of answers) expect(result).toBeDefined();
  expect(lines.join("")).toContain("root root-1, agent helper");
});
