/**
 * @module SharedTools: operators' tools, read anew for each turn: toolbox entries, which enable
 * and describe tools of the host, and tool servers, whose tools come through the AI SDK's MCP
 * client. When a server is unreachable its tools are missing; the turn goes on.
 */
import { CodedError } from "@turnproof/semconv";
import type { SharedRecord } from "@turnproof/store";

import type { AgentParts, TurnTools } from "./parts.ts";
import { sharedRows } from "./shared-rows.ts";
import { toolAnswer } from "./tools.ts";
import type { AnyTool, ToolContext } from "./tools.ts";
import type { TurnState } from "./turn-state.ts";
import type { ServerTool, ToolServerClient, ToolServerOptions } from "./shared-options.ts";

interface Connection {
  readonly version: number;
  readonly client: ToolServerClient;
  readonly tools: readonly AnyTool[];
}

/** Tools for turns, and the connections that are kept between turns. */
export class SharedTools implements TurnTools {
  readonly #connections: Map<string, Promise<Connection>> = new Map();

  /** All tools of a turn: the agent's own first; of two with one name the first wins. */
  async of(parts: AgentParts, state: TurnState): Promise<readonly AnyTool[]> {
    const { toolbox, toolServers } = parts.options;
    const all = [...parts.tools];
    if (toolbox !== undefined) {
      const entries = await sharedRows(parts, state, "toolbox_entry");
      all.push(...toolbox.flatMap((tool) => entryOf(tool, entries)));
    }
    if (toolServers !== undefined) all.push(...(await this.#served(parts, state, toolServers)));
    const seen = new Set<string>();
    return all.filter(({ name }) => !seen.has(name) && seen.add(name));
  }

  /** Closes the connections to tool servers. */
  async close(): Promise<void> {
    const open = [...this.#connections.values()];
    this.#connections.clear();
    for (const connection of open) {
      // A connection that never opened or does not close has nothing left to release.
      await connection.then(({ client }) => client.close()).catch(() => undefined);
    }
  }

  /** A call that threw may mean a lost session, so the next turn connects anew. */
  #forget(id: string, connection: Promise<Connection>): void {
    if (this.#connections.get(id) !== connection) return;
    this.#connections.delete(id);
    // The session is lost already; closing only frees what is left of it.
    void connection.then(({ client }) => client.close()).catch(() => undefined);
  }

  async #served(
    parts: AgentParts,
    state: TurnState,
    options: ToolServerOptions,
  ): Promise<readonly AnyTool[]> {
    const rows = await sharedRows(parts, state, "tool_server");
    const found = await Promise.all(
      rows
        .filter(({ data }) => data["enabled"] !== false)
        .map(async (row) => {
          try {
            return (await this.#connected(row, options)).tools;
          } catch {
            // The failure's class is recorded; an address or a text of the server never is.
            await serverAway(state);
            return [];
          }
        }),
    );
    return found.flat();
  }

  async #connected(row: SharedRecord, options: ToolServerOptions): Promise<Connection> {
    const before = this.#connections.get(row.id);
    // A connection that failed to open is replaced below.
    const known = await before?.catch(() => undefined);
    if (known?.version === row.version) return known;
    // Another turn may have opened it meanwhile.
    const now = this.#connections.get(row.id);
    if (now !== undefined && now !== before) return now;
    const opening: Promise<Connection> = open(row, options, () => this.#forget(row.id, opening));
    this.#connections.set(row.id, opening);
    // The old connection is replaced, whether it closes or not.
    await known?.client.close().catch(() => undefined);
    try {
      return await opening;
    } catch (error) {
      if (this.#connections.get(row.id) === opening) this.#connections.delete(row.id);
      throw error;
    }
  }
}

async function serverAway({ turn }: TurnState): Promise<void> {
  const failed = { operation: "search_memory", storeId: "tool_servers", scopeApplied: "shared" };
  await turn.memoryOperation(failed as never, (operation) =>
    operation.fail("tool_server_unavailable"),
  );
}

async function open(
  row: SharedRecord,
  options: ToolServerOptions,
  onFailure: () => void,
): Promise<Connection> {
  const { timeoutMs = 5_000 } = options;
  const work = async (): Promise<Connection> => {
    const client = await options.connect(row.data, row.id);
    const tools: AnyTool[] = [];
    for (const [name, tool] of Object.entries(await client.tools())) {
      tools.push(await servedTool(name, tool, { server: row.id, onFailure }));
    }
    return { version: row.version, client, tools };
  };
  let timer: NodeJS.Timeout | undefined;
  const away = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new CodedError("store_unavailable")), timeoutMs);
  });
  const working = work();
  try {
    return await Promise.race([working, away]);
  } catch (error) {
    // A connection that opens after the timeout is closed.
    void working.then(({ client }) => client.close()).catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function servedTool(
  name: string,
  tool: ServerTool,
  { server, onFailure }: { readonly server: string; readonly onFailure: () => void },
): Promise<AnyTool> {
  const schema = (tool.inputSchema as { readonly jsonSchema?: unknown } | undefined)?.jsonSchema;
  return {
    name,
    description: typeof tool.description === "string" ? tool.description : "",
    inputSchema: ((await schema) ?? { type: "object" }) as AnyTool["inputSchema"],
    type: "extension",
    primaryProvider: server,
    execute: async (input: never, { callId, signal }: ToolContext) => {
      if (tool.execute === undefined)
        throw new CodedError("capability_missing", { field: "execute" });
      const options = { toolCallId: callId, messages: [], abortSignal: signal, context: {} };
      const value = await Promise.resolve(tool.execute(input, options as never)).catch(
        (error: unknown) => {
          if (!signal.aborted) onFailure();
          throw error;
        },
      );
      const failed = (value as { readonly isError?: unknown } | undefined)?.isError === true;
      return failed ? toolAnswer({ value, outcome: "error", provider: server }) : value;
    },
  };
}

/**
 * The host's tool as its toolbox entry describes it; undefined without an entry or when disabled.
 */
function entryOf(tool: AnyTool, entries: readonly SharedRecord[]): readonly AnyTool[] {
  const entry = entries.find(({ id }) => id === tool.name);
  if (entry === undefined || entry.data["enabled"] === false) return [];
  const { description, input_schema: schema } = entry.data;
  return [
    {
      ...tool,
      ...(typeof description === "string" ? { description } : {}),
      ...(typeof schema === "object" && schema !== null
        ? { inputSchema: schema as AnyTool["inputSchema"] }
        : {}),
    },
  ];
}
