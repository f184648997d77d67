/** `turnproof mcp` over stdio: the official client starts it in front of a running collector. */
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
