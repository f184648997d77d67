/**
 * @module Cast: the agents of the week, their tools and models, and the people they work for.
 */
import type { Dice } from "./dice.ts";

/** A tool and the system that it calls. */
export interface Tool {
  readonly name: string;
  readonly provider: string;
  /** Who answers while the provider is away. */
  readonly stand_in?: string;
  readonly medianMs: number;
  readonly weight: number;
}

/** What an agent is and how it works. */
export interface Role {
  readonly agentId: string;
  readonly applicationId: string;
  readonly weight: number;
  /** What it makes and where it hands it over; an agent that only answers makes nothing. */
  readonly product?: {
    readonly intent: string;
    readonly artifact: string;
    readonly contract: string;
    readonly target: string;
    readonly source: string;
  };
  readonly tools: readonly Tool[];
  readonly model: string;
  readonly modelProvider: string;
  readonly modelMs: number;
  /** Rounds of the model loop, least and most. */
  readonly rounds: readonly [number, number];
  /** How often the semantic cache answers, 0 to 1. */
  readonly cached: number;
  /** Works under no name: rows of no user. */
  readonly nameless?: boolean;
  /** Calls another agent inside the same trace. */
  readonly helper?: string;
}

const tool = (name: string, provider: string, medianMs: number, weight = 1): Tool => ({
  name,
  provider,
  medianMs,
  weight,
});

/** Order questions in a shop; the agent of most incidents. */
export const orderDesk: Role = {
  agentId: "order-desk",
  applicationId: "storefront",
  weight: 42,
  product: {
    intent: "answer_customer",
    artifact: "reply",
    contract: "reply_json",
    target: "chat_window",
    source: "price_list",
  },
  tools: [
    tool("lookup_order", "orders-db", 45, 4),
    { ...tool("search_policies", "policy-eu", 120, 4), stand_in: "policy-us" },
    tool("issue_refund", "payments", 310),
  ],
  model: "gpt-4o-mini",
  modelProvider: "openai",
  modelMs: 620,
  rounds: [2, 3],
  cached: 0.12,
};

/** The same desk after the release in the middle of the week. */
export const orderDeskReleased: Role = {
  ...orderDesk,
  tools: [...orderDesk.tools, tool("check_stock", "warehouse", 80, 3)],
  model: "gpt-4.1-mini",
  modelMs: 480,
};

const readerChat: Role = {
  agentId: "reader-chat",
  applicationId: "newsroom",
  weight: 26,
  tools: [tool("search_archive", "archive-eu", 140)],
  model: "gpt-4.1",
  modelProvider: "openai",
  modelMs: 900,
  rounds: [1, 1],
  cached: 0.25,
};

/** Briefings from notes; one of them belongs to another user. */
export const briefingWriter: Role = {
  agentId: "briefing-writer",
  applicationId: "newsroom",
  weight: 16,
  product: {
    intent: "write_briefing",
    artifact: "briefing",
    contract: "briefing_json",
    target: "reader_view",
    source: "note",
  },
  tools: [tool("search_archive", "archive-eu", 140, 2), tool("fetch_note", "notes", 60)],
  model: "gpt-4.1",
  modelProvider: "openai",
  modelMs: 1_900,
  rounds: [2, 4],
  cached: 0.03,
};

/** Long research with a second agent that checks it. */
export const researcher: Role = {
  agentId: "deep-researcher",
  applicationId: "research",
  weight: 8,
  product: {
    intent: "write_report",
    artifact: "report",
    contract: "report_json",
    target: "report_view",
    source: "dataset",
  },
  tools: [
    tool("web_search", "search-one", 900, 4),
    tool("open_source", "reader", 1_400, 3),
    tool("run_query", "lake", 3_200, 2),
  ],
  model: "claude-sonnet-4-5",
  modelProvider: "anthropic",
  modelMs: 6_500,
  rounds: [4, 9],
  cached: 0,
  helper: "fact-checker",
};

/** Invoices as they come in, by machine. */
export const invoiceIntake: Role = {
  agentId: "invoice-intake",
  applicationId: "backoffice",
  weight: 8,
  product: {
    intent: "book_invoice",
    artifact: "ledger_entry",
    contract: "entry_json",
    target: "ledger",
    source: "invoice",
  },
  tools: [tool("read_invoice", "scanner", 700), tool("match_supplier", "suppliers", 90)],
  model: "minnow-1@20260801",
  modelProvider: "pond",
  modelMs: 380,
  rounds: [2, 2],
  cached: 0,
  nameless: true,
};

/** All people, as the week begins. */
export const roles: readonly Role[] = [
  orderDesk,
  readerChat,
  briefingWriter,
  researcher,
  invoiceIntake,
];

const people = (
  "amara bo chen dilnoza eze farah goran hana iker jun kofi lale mirela noor otto pia quan rosa " +
  "sami tove uma vera wiro xenia yaw zoe adil bela cosmo dara elif fumi gita hugo ines jalil kaya " +
  "leif mona niko"
).split(" ");

/**
 * A person, the few who come often more often; null works for no user, undefined is not recorded.
 */
export function personOf(role: Role, dice: Dice): string | null | undefined {
  if (role.nameless === true) return null;
  const roll = dice.roll();
  if (roll < 0.05) return null;
  if (roll < 0.07) return undefined;
  return `usr_${people[Math.floor(people.length * dice.roll() ** 2)] ?? "amara"}`;
}
