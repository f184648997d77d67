/** @module The agent: turns on any model of the AI SDK, with scoped memory and evidence. */
export { Agent } from "./agent.ts";
export type { FeedbackOptions, OutcomeOptions, TurnStream } from "./agent.ts";
export type {
  AgentCacheOptions,
  AgentOptions,
  ModelSettings,
  Persona,
  RunOptions,
  SummarizeOptions,
} from "./agent-options.ts";
export type { AnyLanguageModel } from "./older-model.ts";
export type { AdapterMetadata } from "./response-metadata.ts";
export type {
  CacheOutcome,
  CalledTool,
  ResponseMetadata,
  RunResult,
  RunStatus,
  TokenUsage,
} from "./run-result.ts";
export type { StoredCounts, SummaryOptions } from "./summary.ts";
export { Automations } from "./automations.ts";
export type { AutomationOptions, AutomationRun, Schedule } from "./automations.ts";
export type { SharedOptions } from "./shared-options.ts";
export type { ServerTool, ToolServerClient, ToolServerOptions } from "./shared-options.ts";
export type { RoutingOptions } from "./tool-router.ts";
export { uiChunks, uiResponse, uiStreamHeaders } from "./ui-stream.ts";
export type { UiChunk } from "./ui-stream.ts";
export { toolAnswer } from "./tools.ts";
export type { AgentTool, AnyTool, ToolAnswer, ToolContext } from "./tools.ts";
export type { EventCallback, RunEvent, RunEventBody, TurnStage } from "./turn-events.ts";
export type { Persisted } from "./run-result.ts";
