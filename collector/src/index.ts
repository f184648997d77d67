/** @module Turnproof: the collector as a library. Mount it into your own Hono app, or serve it. */
export { createCollector } from "./collector.ts";
export { version } from "./version.ts";
export type { Collector, CollectorOptions } from "./collector.ts";
export { ConfigError, parseConfig, readConfig } from "./config.ts";
export type { Account } from "./accounts.ts";
export type { Config, ConfigFlags, ConfigProblem, IngestToken } from "./config.ts";
export { routeRules } from "./http/permissions.ts";
export type { Need, RouteRule } from "./http/permissions.ts";
export { rolePermissions, roles } from "./auth/principal.ts";
export type { Permission, Principal, Role } from "./auth/principal.ts";
export type { AgentChunk, AgentPort, AgentRunInput, HookContext, Hooks } from "./hooks.ts";
export type { ResolvedArtifact } from "./hooks.ts";
export { mountAgents } from "./mounted-agents.ts";
export type { MountableAgent, MountedRun } from "./mounted-agents.ts";
export type { Log } from "./log.ts";
export type { Frame, View } from "./http/respond.tsx";
export type { ViewModels, ViewName, ViewTable } from "./view-table.ts";
