/** @module A turn without an agent, an application, a release and an environment. */
import type { TurnEvent } from "@turnproof/evidence";

import { day } from "./grafana-macros.ts";

/** The day of the turn. */
export const bareDay = "2026-11-23";

/** Variables of names that a turn may lack; a tenant that is not recorded has a word of its own. */
export const lacking = ["agent", "application", "release", "environment"] as const;

/** A turn on that day, without those names. */
export function bareTurn(turn: readonly TurnEvent[]): TurnEvent[] {
  const text = JSON.stringify(turn).replaceAll(day, bareDay).replaceAll("root-demo", "root-bare");
  return (JSON.parse(text) as TurnEvent[]).map((event) => {
    const { agent_id: _agent, application_id: _application, attributes, ...others } = event;
    const { service_version: _release, deployment_environment: _environment, ...kept } = attributes;
    return { ...others, attributes: kept, producer_id: "producer-3" };
  });
}
