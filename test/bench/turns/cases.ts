/**
 * @module Cases of the turns bench: what the home reads. A count is kept for a moment, so each
 * round of one sends a request of its own, from a start that lies before everything.
 */

/** What the history holds that a filter may name. */
export interface Known {
  readonly agent: string;
  readonly thread: string;
  readonly user: string;
}

/** One question of the home: its name, its path, and its query in each round. */
export interface Case {
  readonly name: string;
  readonly path: string;
  readonly query: (round: number) => Record<string, string>;
}

const day = { start_time: "2026-05-10T00:00:00Z", end_time: "2026-05-11T00:00:00Z" };
const lists = "/traces/turns.json";
const counts = "/traces/overview.json";

/** Every case; `cursor` is of the page behind the newest. */
export function casesOf(known: Known, cursor: string): readonly Case[] {
  const always = (name: string, path: string, query: Record<string, string>): Case => ({
    name,
    path,
    query: () => query,
  });
  let requested = 0;
  const fresh = (name: string, path: string, query: Record<string, string>): Case => ({
    name,
    path,
    query: () => {
      requested += 1;
      return { start_time: new Date(Date.UTC(2001, 0, 1) + requested).toISOString(), ...query };
    },
  });
  const agent = { agent_id: known.agent };
  const errors = { q: "has:error" };
  return [
    always("list", lists, {}),
    always("page", "/traces", {}),
    always("list, the page after", lists, { cursor }),
    always("list of 100", lists, { limit: "100" }),
    always("list, one agent", lists, agent),
    always("page, one agent", "/traces", agent),
    always("list, the commonest agent", lists, { agent_id: "agent-0" }),
    always("list, one thread", lists, { thread_id: known.thread }),
    always("list, one tenant", lists, { user_id: known.user }),
    always("list, errors", lists, errors),
    always("list, errors of one agent", lists, { ...agent, ...errors }),
    always("list, one day", lists, day),
    always("list, failed of the page", lists, { verdict: "failed" }),
    fresh("overview", counts, {}),
    fresh("overview, one agent", counts, agent),
    fresh("overview, the commonest agent", counts, { agent_id: "agent-0" }),
    fresh("overview, errors", counts, errors),
    {
      name: "overview, one day",
      path: counts,
      query: (round) => ({ ...day, start_time: `2026-05-10T00:00:00.${100 + round}Z` }),
    },
    fresh("facets", "/traces/facets.json", {}),
  ];
}
