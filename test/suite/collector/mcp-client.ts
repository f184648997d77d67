/** @module McpClient: the official client against a collector, and the text of a tool's answer. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** A connected client; `era` is its revision of the protocol. */
export async function connect(
  url: string,
  token: string,
  era: "legacy" | "auto" = "auto",
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: era } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

/** What a tool answers, and whether it is a refusal. */
export async function call(
  client: Client,
  name: string,
  input: Record<string, unknown>,
): Promise<{ readonly text: string; readonly refused: boolean }> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [first] = content;
  return { text: first?.type === "text" ? first.text : "", refused: isError === true };
}
