/**
 * @module Sign-in ticket: what one sign-in through an identity provider needs until its end, sealed
 * for the browser that began it. A ticket is good for ten minutes and for one answer.
 */
import { z } from "zod";

import type { Keyring } from "./keyring.ts";
import { seal, unseal } from "./seal.ts";
import type { SealContext } from "./seal.ts";

/** Secrets of one sign-in, and where it leads. */
export interface Ticket {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly next: string;
}

/** Tickets of this process. */
export interface Tickets {
  issue(ticket: Ticket): string;
  /** The ticket of an answer with exactly this state; undefined when forged, over or used. */
  redeem(text: string | undefined, states: readonly string[]): Ticket | undefined;
}

/** How long a ticket is good for, in seconds. */
export const ticketSeconds = 600;
const usedMax = 10_000;
const context: SealContext = { purpose: "sign-in/v1", valid: [] };
const form = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  at: z.number(),
});

/** Tickets under a keyring. */
export function createTickets(keyring: Keyring, now: () => number): Tickets {
  /** Used states in order of use, with the time after which no ticket has them. */
  const used = new Map<string, number>();
  const forget = (): void => {
    for (const [state, until] of used) {
      if (until > now() && used.size < usedMax) return;
      used.delete(state);
    }
  };
  return {
    issue: (ticket) => seal(keyring, context, JSON.stringify({ ...ticket, at: now() })),
    redeem: (text, states) => {
      const opened = text === undefined ? undefined : unseal(keyring, context, text);
      if (opened === undefined) return undefined;
      const { at, ...ticket } = form.parse(JSON.parse(opened));
      const age = now() - at;
      if (age < 0 || age > ticketSeconds * 1_000) return undefined;
      if (states.length !== 1 || states[0] !== ticket.state) return undefined;
      forget();
      if (used.has(ticket.state)) return undefined;
      used.set(ticket.state, at + ticketSeconds * 1_000);
      return ticket;
    },
  };
}
