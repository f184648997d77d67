/**
 * @module Expectations: what the collector must show of each scenario, and what that costs a user
 * in lines. A service is named as its scenario.
 */

/** A turn; what is not given is what most of them are. */
const turn = (agent, more = {}) => ({
  agent,
  thread: null,
  user: null,
  status: "success",
  tools: 0,
  failed: 0,
  tokens: [null, null],
  ...more,
});

/** Two model calls of the scripted model, with a call of its tool between them. */
const withTool = { tools: 1, tokens: [42, 14] };
const plain2 = "otel-2/telemetry.mjs";

/** A turn with one call of a tool, and one whose provider fails. */
const pair = (agent, thread, user) => [
  turn(agent, { thread, user, ...withTool }),
  turn(agent, { thread: thread && `${thread}-2`, user, status: "error" }),
];

/** The five calls that every version of the AI SDK plays. */
const aiSdk = (version, { lines, embedder, errors }) => {
  const who = { thread: "thread-ai", user: "user-ai" };
  return {
    file: `otel-2/ai-sdk-${version}.mjs`,
    telemetry: [plain2, `otel-2/ai-sdk-${version}.mjs`],
    lines,
    turns: [
      turn("helper", { ...who, ...withTool }),
      turn("streamer", { ...who, ...withTool }),
      turn("clumsy", { ...who, ...withTool, failed: 1 }),
      turn("unlucky", { ...who, status: "error" }),
      turn(embedder, { ...who, status: "unknown", tokens: [4, null] }),
    ],
    errors,
  };
};
const legacyErrors = ["model_call AI_APICallError", "tool_call RangeError", "turn AI_APICallError"];

/** Scenarios by name. What a library does not report stays unknown: null, or `?` for a class. */
export const expectations = {
  // A route of Node within a turn; one of the edge runtime shows that it still answers. It is
  // first because it takes longest.
  next: {
    file: "next/play.mjs",
    telemetry: ["next/instrumentation.ts", "next/telemetry.ts", "next/app/api/ask/route.js"],
    lines: 37,
    turns: [
      turn("desk", { thread: "thread-next", user: "user-next", tokens: [21, 7] }),
      turn("desk", { thread: "thread-next-2", user: "user-next", status: "error" }),
    ],
    errors: ["model_call 400", "turn AI_APICallError"],
  },
  // A client alone makes no turns: each call is a row of its service.
  "openai-sdk": {
    file: "otel-3/openai-sdk.mjs",
    flags: ["--import", "./otel-3/telemetry.mjs"],
    telemetry: ["otel-3/telemetry.mjs"],
    lines: 11,
    turns: [
      turn("openai-sdk", { status: "unknown", tokens: [21, 7] }),
      turn("openai-sdk", { status: "unknown", tokens: [21, 7] }),
      turn("openai-sdk", { status: "unknown" }),
    ],
    errors: ["model_call BadRequestError"],
  },
  "node-sdk-3": {
    file: "otel-3/node-sdk.mjs",
    lines: 12,
    turns: [
      turn("desk", { thread: "thread-3", user: "user-3", tokens: [21, 7] }),
      turn("desk", { thread: "thread-3", user: "user-3", tokens: [21, 7] }),
      turn("desk", { thread: "thread-3", user: "user-3", status: "error" }),
    ],
    errors: ["model_call BadRequestError", "turn BadRequestError"],
  },
  "node-sdk-2": {
    file: "otel-2/node-sdk.mjs",
    lines: 5,
    turns: [
      turn("desk", { thread: "thread-2", user: "user-2", ...withTool }),
      turn("desk", { thread: "thread-2", user: "user-2", status: "error" }),
    ],
    errors: ["model_call AI_APICallError", "turn APICallError"],
  },
  express: {
    file: "otel-2/express.cjs",
    lines: 6,
    turns: pair("desk", "thread-ex", "user-ex"),
    errors: ["model_call AI_APICallError", "turn APICallError"],
  },
  fastify: {
    file: "otel-2/fastify.cjs",
    lines: 16,
    turns: pair("desk", "thread-fa", "user-fa"),
    errors: ["model_call AI_APICallError", "turn AI_APICallError"],
  },
  "ai-sdk-5": aiSdk("5", { lines: 14, embedder: "embedder", errors: legacyErrors }),
  "ai-sdk-6": aiSdk("6", { lines: 14, embedder: "embedder", errors: legacyErrors }),
  // Version 7 names no function on an embedding, and of an error only the provider's status.
  "ai-sdk-7": aiSdk("7", {
    lines: 17,
    embedder: "ai-sdk-7",
    errors: ["model_call 400", "tool_call RangeError", "turn 400"],
  }),
  "langchain-openinference": {
    file: "otel-2/langchain-openinference.mjs",
    telemetry: [plain2, "otel-2/langchain-openinference.mjs"],
    lines: 13,
    turns: pair("helper", "thread-lc", "user-lc"),
    errors: ["model_call ?", "turn ?"],
  },
  "langchain-openllmetry": {
    file: "otel-2/langchain-openllmetry.mjs",
    telemetry: [plain2, "otel-2/langchain-openllmetry.mjs"],
    lines: 26,
    turns: pair("helper", null, null),
    errors: ["model_call bad", "turn ?"],
  },
  langgraph: {
    file: "otel-2/langgraph.mjs",
    telemetry: [plain2, "otel-2/langgraph.mjs"],
    lines: 13,
    turns: [turn("researcher", { thread: "thread-lg", user: "user-lg", tokens: [42, 14] })],
    errors: [],
  },
  mastra: {
    file: "otel-2/mastra.mjs",
    lines: 10,
    turns: [
      turn("helper", { thread: "thread-ma", user: "user-ma", ...withTool }),
      turn("helper", { thread: "thread-ma", user: "user-ma", status: "error" }),
      turn("answer", { thread: "thread-ma", user: "user-ma" }),
      // A workflow is a turn, and what its agent does is a turn in it.
      turn("assisted", { thread: "thread-ma", user: "user-ma" }),
      turn("helper", { thread: "thread-ma", user: "user-ma", ...withTool }),
    ],
    errors: ["model_call ?", "turn unknown"],
  },
  "openai-agents": {
    file: "otel-2/openai-agents.mjs",
    telemetry: [plain2, "otel-2/openai-agents.mjs"],
    lines: 13,
    turns: [
      ...pair("helper", null, null),
      turn("helper", { status: "error" }),
      // The handover is a tool to the library, and the agent that takes over has a turn of its own.
      turn("triage", { tools: 1, tokens: [21, 7] }),
      turn("helper", { tokens: [21, 7] }),
    ],
    errors: ["model_call ?", "turn ?"],
  },
  // The framework, the MCP client and the MCP server each report the one call.
  mcp: {
    file: "otel-2/mcp.mjs",
    telemetry: [plain2, "otel-2/mcp.mjs"],
    lines: 18,
    turns: [turn("helper", { ...withTool })],
    errors: [],
  },
  // Both formats for Node, and a page in a browser.
  bundles: {
    file: "bundles/play.mjs",
    telemetry: ["bundles/app.js", "bundles/page.js"],
    lines: 29,
    turns: [
      turn("desk", { thread: "thread-1" }),
      turn("desk", { thread: "thread-1" }),
      turn("page", { thread: "thread-1" }),
    ],
    errors: [],
  },
  // `--import` of ours, `--import` of a file, and CommonJS.
  modules: {
    file: "otel-2/modules.mjs",
    telemetry: ["otel-2/modules-telemetry.mjs", "otel-2/modules-first.cjs"],
    lines: 4,
    turns: [1, 2, 3].map(() => turn("desk", { thread: "thread-1" })),
    errors: [],
  },
  langfuse: {
    file: "otel-2/langfuse.mjs",
    lines: 7,
    turns: [
      turn("helper", {
        thread: "thread-lf",
        user: "user-lf",
        tools: 1,
        failed: 1,
        tokens: [21, 7],
      }),
    ],
    errors: ["tool_call ?"],
  },
};
