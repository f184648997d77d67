/** @module AgentList: the agents that the host mounted. */
import { principalOf } from "../http/environment.ts";
import type { AppContext } from "../http/environment.ts";
import type { Parts } from "../parts.ts";
import { contextOf } from "./hook-context.ts";
import { callHook } from "./hooks.ts";

/**
 * Names of the mounted agents; null without the hook, and when the host does not answer: the page
 * works all the same.
 */
export async function mountedAgents(
  c: AppContext,
  parts: Parts,
): Promise<readonly string[] | null> {
  const { agents } = parts.hooks;
  if (agents === undefined) return null;
  try {
    return await callHook((signal) => agents.list(contextOf(principalOf(c), signal)));
  } catch {
    // A host that fails or is too slow leaves the list unknown; the pages show it as that.
    return null;
  }
}
