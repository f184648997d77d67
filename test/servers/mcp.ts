/**
 * @module A tool server on loopback with the Model Context Protocol over HTTP, in JSON:
 * initialize, tools/list and tools/call, as the protocol's own text lays them down.
 */
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A tool of the server. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly call: (input: Readonly<Record<string, unknown>>) => string;
}

/** A running tool server. */
export interface McpServer extends AsyncDisposable {
  readonly url: string;
  /** Methods that were called so far. */
  readonly methods: readonly string[];
}

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: Record<string, unknown> };
}

async function bodyOf(request: IncomingMessage): Promise<Message> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as Message;
}

function answerTo({ method, params }: Message, tools: readonly McpTool[]): object {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "test", version: "1" },
      };
    case "tools/list":
      return { tools: tools.map(({ call: _call, ...reported }) => reported) };
    case "tools/call": {
      const tool = tools.find(({ name }) => name === params?.name);
      try {
        const text = tool?.call(params?.arguments ?? {}) ?? "";
        return { content: [{ type: "text", text }], isError: tool === undefined };
      } catch (error) {
        return { content: [{ type: "text", text: (error as Error).message }], isError: true };
      }
    }
    default:
      return {};
  }
}

/** Starts it. */
export async function startMcp(tools: readonly McpTool[]): Promise<McpServer> {
  const methods: string[] = [];
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    void bodyOf(request).then((message) => {
      methods.push(message.method);
      if (message.id === undefined) {
        response.writeHead(202).end();
        return;
      }
      response.setHeader("content-type", "application/json");
      const result = answerTo(message, tools);
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    methods,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
