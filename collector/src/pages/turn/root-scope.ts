/**
 * @module RootScope: whose turns the turns of one root are: the identity that they share, the
 * values of the fields on which they differ, and the agents that its title names.
 */
import type { TurnRow } from "@turnproof/evidence";

import { countText } from "../../ui/display/figures.ts";
import type { ScopeParts, SeveralParts } from "../../ui/elements/chip.tsx";
import type { TurnModel } from "./turn-reading.ts";

const fields = ["application_id", "agent_id", "user_id", "memory_id", "thread_id"] as const;

/** What the turns share, and by field what they do not. */
export function rootScope(turns: readonly Pick<TurnRow, (typeof fields)[number]>[]): {
  readonly common: ScopeParts;
  readonly several: SeveralParts;
} {
  const values = fields.map(
    (field) => [field, [...new Set(turns.map((turn) => turn[field]))]] as const,
  );
  return {
    common: Object.fromEntries(
      values.flatMap(([field, [value, ...others]]) =>
        value === undefined || others.length > 0 ? [] : [[field, value]],
      ),
    ),
    several: Object.fromEntries(values.filter(([, own]) => own.length > 1)),
  };
}

/** `Turn of a`, `2 turns of a and b`, `9 turns of 5 agents`. */
export function rootTitle(turns: number, name: string): string {
  return turns > 1 ? `${countText(turns)} turns of ${name}` : `Turn of ${name}`;
}

/** Most agents that a title names. */
const namesMax = 3;

/** The agents of the turns, in words; by their names for display where they have one. */
export function agentsText({ turns, events }: Pick<TurnModel, "turns" | "events">): string {
  const named = new Map(
    events.flatMap(({ event_kind: kind, turn_id: id, attributes: { agent_name: name } }) =>
      kind === "turn" && name !== undefined ? [[id, name] as const] : [],
    ),
  );
  const own = turns.flatMap(({ turn_id: id, agent_id: agent }) => named.get(id) ?? agent ?? []);
  const names = [...new Set(own)];
  if (names.length > namesMax) return `${countText(names.length)} agents`;
  const last = names.pop() ?? events[0]?.application_id ?? "Structure";
  return names.length === 0 ? last : `${names.join(", ")} and ${last}`;
}
