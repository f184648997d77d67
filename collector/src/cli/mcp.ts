/** @module `turnproof mcp`: the MCP server over stdio, in front of a running collector. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Command } from "commander";

import { configDefaults } from "../config/config-defaults.ts";
import { readClientConfig } from "../config/read-config.ts";
import { pricingOf } from "../cost/call-price.ts";
import { openPriceList } from "../cost/price-list.ts";
import { Refused, withQuery } from "../mcp/requester.ts";
import type { Requester } from "../mcp/requester.ts";
import { createMcpServer } from "../mcp/mcp-server.ts";
import { stdioTransport } from "../mcp/stdio-transport.ts";
import { Refusal, createClient } from "./client.ts";
import type { Client, ClientFlags } from "./client.ts";
import { attempt } from "./failure.ts";

/** Adds the command. */
export function addMcpCommand(program: Command): void {
  program
    .command("mcp")
    .description("serve the evidence to agents over stdio, by the Model Context Protocol")
    .option(
      "--url <url>",
      `address of the collector (default TURNPROOF_URL, else ${configDefaults.URL})`,
    )
    .option(
      "--token <token>",
      "token to authenticate with (default TURNPROOF_TOKEN, else the operator token)",
    )
    .addHelpText(
      "after",
      `
Reads a running collector with the rights of the token; every read is in its audit log. The
tools only read. A client with streamable HTTP needs no command: it calls /mcp. Costs in
contracts go by listed prices and those of TURNPROOF_PRICES.

  claude mcp add turnproof -- turnproof mcp --url https://turnproof.example
  claude mcp add --transport http turnproof https://turnproof.example/mcp`,
    )
    .action((flags: ClientFlags) => attempt({}, async () => serve(flags)));
}

async function serve(flags: ClientFlags): Promise<void> {
  const { prices } = readClientConfig(flags);
  const request = requestOver(createClient(flags), async () =>
    pricingOf(await openPriceList(prices)),
  );
  const transport = stdioTransport(process.stdin, process.stdout);
  serveStdio(() => createMcpServer(request), { transport });
  // The transport closes itself once its input has ended, and then nothing holds the process.
}

/** The collector behind a client. */
function requestOver(client: Client, pricing: Requester["pricing"]): Requester {
  return {
    pricing,
    link: (path, parameters) => `${client.url}${withQuery(path, parameters)}`,
    json: async <T>(path: string, parameters?: Parameters<Requester["json"]>[1]): Promise<T> => {
      try {
        return await client.json<T>(path, parameters);
      } catch (error) {
        if (error instanceof Refusal) {
          throw new Refused(error.code, error.message, error.field);
        }
        throw error;
      }
    },
  };
}
