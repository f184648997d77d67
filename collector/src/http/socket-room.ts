/**
 * @module Socket room: which sockets of a listener are within its bounds, which are beyond them in
 * order to be refused, and which were given their last answer. Each number is bounded, in total and
 * for an address (faults H10).
 */
import type { Socket } from "node:net";

import { cutUnfinished, leastUseful, youngMs } from "./connection.ts";
import type { Connection } from "./connection.ts";

/** Bounds of a listener. */
export interface ConnectionBounds {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** Sockets beyond the bounds that are kept in order to be answered. */
  readonly sparesMax?: number;
}

/** The sockets of one address. */
interface Address {
  readonly within: Set<Connection>;
  /** Accepted in order to be refused. */
  readonly refused: Set<Connection>;
  /** After their last answer. */
  readonly closing: Set<Connection>;
}

/**
 * What the peer of a socket has of its latest request: no answer, an answer, or one that came
 * before the last byte of the request.
 */
type LastAnswer = "waits" | "answered" | "sending";

/** Ends a socket without a request in progress. */
export type TurnAway = (socket: Socket, last: LastAnswer) => void;

/** A thousand of one address are all answered, whatever they send. */
const sparesMaxDefault = 1_280;
/** One address never takes all of them. */
const shareOfAddress = 0.8;

/** Who is within the bounds. */
export class SocketRoom {
  private readonly addresses = new Map<string, Address>();
  private readonly bounds: ConnectionBounds;
  private readonly turnAway: TurnAway;
  private readonly sparesMax: number;
  private taken = 0;
  private beyond = 0;

  constructor(bounds: ConnectionBounds, turnAway: TurnAway) {
    this.bounds = bounds;
    this.turnAway = turnAway;
    this.sparesMax = bounds.sparesMax ?? sparesMaxDefault;
  }

  /** Finds a place for a new one; returns what frees it. */
  enter(name: string, added: Connection): () => void {
    const found = this.addresses.get(name);
    const address = found ?? { within: new Set(), refused: new Set(), closing: new Set() };
    this.addresses.set(name, address);
    if (!this.take(address, added)) this.keep(address, address.refused, added);
    return () => {
      if (address.within.delete(added)) this.taken -= 1;
      if (address.refused.delete(added) || address.closing.delete(added)) this.beyond -= 1;
      if (address.within.size + beyondOf(address) === 0) this.addresses.delete(name);
    };
  }

  /** Whether one with a request is within the bounds; it precedes those without a request. */
  admits(name: string, connection: Connection): boolean {
    const address = this.addresses.get(name);
    if (address?.refused.has(connection) !== true) return true;
    if (!this.take(address, connection)) return false;
    address.refused.delete(connection);
    this.beyond -= 1;
    return true;
  }

  /** One has had its last answer: its place is free while it closes. */
  closes(name: string, connection: Connection): void {
    const address = this.addresses.get(name);
    if (address !== undefined) this.close(address, connection);
  }

  private close(address: Address, connection: Connection): void {
    if (address.closing.has(connection)) return;
    if (address.within.delete(connection)) this.taken -= 1;
    if (address.refused.delete(connection)) this.beyond -= 1;
    this.keep(address, address.closing, connection);
  }

  private take(address: Address, connection: Connection): boolean {
    const { connectionsMax, connectionsPerAddressMax } = this.bounds;
    const { within } = address;
    if (within.size >= connectionsPerAddressMax) {
      if (!this.closeIdle(address)) return false;
    } else if (this.taken >= connectionsMax) {
      const greedy = this.greediest(({ within: { size } }) => size);
      const isModest = (within.size + 1) * 2 < greedy.within.size;
      if (!this.closeIdle(greedy) && !(isModest && cutUnfinished(greedy.within))) return false;
    }
    within.add(connection);
    this.taken += 1;
    return true;
  }

  /** Keeps one beyond the bounds; at the bound of these another one gives up its place. */
  private keep(address: Address, among: Set<Connection>, connection: Connection): void {
    if (beyondOf(address) >= this.sparesMax * shareOfAddress) this.expel(address);
    else if (this.beyond >= this.sparesMax) this.expel(this.greediest(beyondOf));
    among.add(connection);
    this.beyond += 1;
  }

  /** Ends one that is beyond the bounds: the first that was answered, else the oldest. */
  private expel({ closing, refused }: Address): void {
    const [closed, answered] = [first(closing), leastUseful(refused, 0, "answered")];
    const finished = [closed, answered].filter((one) => one !== undefined);
    const [longest = leastUseful(refused, 0, "unasked")] = finished.toSorted(
      (a, b) => a.since - b.since,
    );
    const chosen = longest ?? first(refused);
    if (chosen === undefined) return;
    if (finished.length === 0 && chosen.tasks.size === 0) this.end(chosen);
    if (refused.delete(chosen) || closing.delete(chosen)) this.beyond -= 1;
    chosen.socket.destroy();
  }

  /** Closes the least useful idle one of an address. */
  private closeIdle(address: Address): boolean {
    const least = leastUseful(address.within, youngMs, "unasked");
    if (least === undefined) return false;
    this.end(least);
    this.close(address, least);
    return true;
  }

  private end({ socket, since, readAt, isDropping }: Connection): void {
    const waits = since === 0 || socket.bytesRead > readAt;
    this.turnAway(socket, isDropping ? "sending" : waits ? "waits" : "answered");
  }

  private greediest(sizeOf: (address: Address) => number): Address {
    let most: Address = { within: new Set(), refused: new Set(), closing: new Set() };
    for (const one of this.addresses.values()) if (sizeOf(one) > sizeOf(most)) most = one;
    return most;
  }
}

function beyondOf({ closing, refused }: Address): number {
  return refused.size + closing.size;
}

function first<T>(of: ReadonlySet<T>): T | undefined {
  return of.values().next().value;
}
