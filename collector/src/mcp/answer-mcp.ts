/**
 * @module AnswerMcp: streamable HTTP in one collector. Each request has a server of its own, whose
 * questions pass the collector's gate again, with the caller's credential and address.
 */
import { createMcpHandler } from "@modelcontextprotocol/server";

import type { Config } from "../config/config.ts";
import { pricingOf } from "../cost/call-price.ts";
import { openPriceList } from "../cost/price-list.ts";
import type { AppContext } from "../http/environment.ts";
import { ownOrigin } from "../http/own-origin.ts";
import { requestWithin } from "./requester.ts";
import { createMcpServer } from "./mcp-server.ts";

/** Headers with the caller and its address. */
const passed = ["authorization", "cookie", "x-forwarded-for"];

const bodyBytesMax = 65_536;

/** Answers one MCP request; `dispatch` is the collector's own app. */
export async function answerMcp(
  c: AppContext,
  dispatch: (request: Request) => Response | Promise<Response>,
  config: Pick<Config, "basePath" | "origins" | "cookieSecure" | "prices">,
): Promise<Response> {
  const { basePath, prices } = config;
  const headers = new Headers({ accept: "application/json" });
  for (const name of passed) {
    const text = c.req.header(name);
    if (text !== undefined) headers.set(name, text);
  }
  const { origin } = new URL(c.req.url);
  const below = basePath === "/" ? "" : basePath;
  const shown = `${ownOrigin(c, config)}${below}`;
  const pricing = async () => pricingOf(await openPriceList(prices));
  const query = requestWithin(dispatch, { base: `${origin}${below}`, shown, headers, pricing });
  const handler = createMcpHandler(() => createMcpServer(query), {
    // Nothing changes while a client is connected, so there is nothing to subscribe to.
    maxSubscriptions: 0,
    maxRequestBodySize: bodyBytesMax,
  });
  return handler.fetch(c.req.raw);
}
