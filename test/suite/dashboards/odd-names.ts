/** @module A turn whose names have the signs that a text of SQL escapes. */
import type { TurnEvent } from "@turnproof/evidence";

import { day } from "./grafana-macros.ts";

/** The day of the turn. */
export const oddDay = "2026-11-22";
const oddSigns = (name: string): string => `${name}'s "\\' OR 1=1) -- ${"$"}agent, %27 \\`;

/** Its names, by variable. */
export const oddNames = {
  agent: oddSigns("agent"),
  application: oddSigns("application"),
  tenant: `id:${oddSigns("user")}`,
  release: oddSigns("release"),
  environment: oddSigns("environment"),
};

/** Such a name that the turn does not have. */
export const other = oddSigns("other");

/** A turn on that day, under those names. */
export function oddTurn(turn: readonly TurnEvent[]): TurnEvent[] {
  const text = JSON.stringify(turn).replaceAll(day, oddDay).replaceAll("root-demo", "root-odd");
  return (JSON.parse(text) as TurnEvent[]).map((event) => ({
    ...event,
    agent_id: oddNames.agent,
    application_id: oddNames.application,
    user_id: oddSigns("user"),
    producer_id: "producer-2",
    ...(event.attributes.service_version === undefined
      ? {}
      : {
          attributes: {
            ...event.attributes,
            service_version: oddNames.release,
            deployment_environment: oddNames.environment,
          },
        }),
  }));
}
