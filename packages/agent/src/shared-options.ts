/** @module SharedOptions: what of the operators' shared memory and tools a turn receives. */
import type { Json } from "@turnproof/store";

/** Which shared kinds a turn reads; each defaults to true. */
export interface SharedOptions {
  readonly skills?: boolean;
  readonly sharedMemory?: boolean;
  /** Most rows of each kind, nearest to the question first; default 5. */
  readonly itemsMax?: number;
  /** Most characters of each kind; default 2,000. */
  readonly charsMax?: number;
}

/** A tool of a server, as the AI SDK's MCP client gives it. */
export interface ServerTool {
  /** A text; any other type is ignored. */
  readonly description?: unknown;
  readonly inputSchema: unknown;
  execute?(input: never, options: never): unknown;
}

/** A client of a tool server; `createMCPClient` of `@ai-sdk/mcp` returns one. */
export interface ToolServerClient {
  tools(): PromiseLike<Readonly<Record<string, ServerTool>>>;
  close(): Promise<void>;
}

/** How a stored tool server is opened. */
export interface ToolServerOptions {
  /** Opens it; when it throws, this server's tools are missing in this turn. */
  connect(
    config: Readonly<Record<string, Json>>,
    id: string,
  ): PromiseLike<ToolServerClient> | ToolServerClient;
  /** Milliseconds until a server counts as unreachable; default 5,000. */
  readonly timeoutMs?: number;
}
