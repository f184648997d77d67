/**
 * @module Connections: bounds the number of connections and chooses which one to close. A new one
 * never waits behind idle or slow ones: the least useful connection of the address with the most
 * connections is closed. Only when all are busy is a request answered with 503, health requests
 * included (faults H10).
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as NetServer, Socket } from "node:net";

/** Bounds of a listener. */
export interface ConnectionBounds {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
}

/** A listening server. */
export interface Listening {
  readonly address: string;
  readonly port: number;
  readonly url: string;
  /** Accepts no more connections, lets requests finish within the deadline, then closes them. */
  close(deadlineMs?: number): Promise<void>;
}

/** Admission of a listener's requests. */
export interface Connections {
  /** Registers a request; false: too many are in progress, and it is answered with 503. */
  admit(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
}

/**
 * Connections beyond the bound that are accepted to be answered with 503; further ones are closed.
 */
const spare = 512;
/** Below this rate, after a grace period, a body counts as an attempt to hold a connection. */
const bodyBytesPerSecondMin = 256;
const graceMs = 4_000;
const sweepMs = 1_000;
/** A connection younger than this is about to send its request. */
const youngMs = 500;
/** How long the rest of a refused body is read, so that its sender reads the answer. */
const lingerMs = 10_000;

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly openedAt: number;
  /** The request in progress. */
  current: IncomingMessage | undefined;
  /** When the current request began, or the last one ended; 0 before the first. */
  since: number;
  readBefore: number;
  /** Accepted while all others were busy. */
  beyond: boolean;
}

/** Bounds the connections of a server. */
export function boundConnections(server: Server, bounds: ConnectionBounds): Connections {
  const { connectionsMax, connectionsPerAddressMax } = bounds;
  const open = new Map<Socket, Connection>();
  const byAddress = new Map<string, Set<Connection>>();
  server.maxConnections = connectionsMax + spare;
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const connection: Connection = {
      socket,
      address,
      openedAt: performance.now(),
      current: undefined,
      since: 0,
      readBefore: 0,
      beyond: false,
    };
    const own = byAddress.get(address) ?? new Set();
    byAddress.set(address, own.add(connection));
    open.set(socket, connection);
    socket.once("close", () => {
      open.delete(socket);
      own.delete(connection);
      if (own.size === 0) byAddress.delete(address);
    });
    if (own.size > connectionsPerAddressMax) connection.beyond = !giveWay(own);
    else if (open.size > connectionsMax) connection.beyond = !giveWay(greediest(byAddress));
  });
  const isOver = ({ address }: Connection): boolean =>
    open.size > connectionsMax || (byAddress.get(address)?.size ?? 0) > connectionsPerAddressMax;
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const connection of open.values())
      if (isSlow(connection, now)) connection.socket.destroy();
  }, sweepMs).unref();
  server.once("close", () => clearInterval(sweep));
  return {
    admit(incoming, outgoing) {
      const connection = open.get(incoming.socket);
      if (connection === undefined) return true;
      connection.current = incoming;
      connection.since = performance.now();
      connection.readBefore = incoming.socket.bytesRead;
      outgoing.once("close", () => {
        connection.current = undefined;
        connection.since = performance.now();
      });
      readToTheEnd(incoming, outgoing);
      connection.beyond &&= isOver(connection);
      return !connection.beyond;
    },
  };
}

function greediest(byAddress: ReadonlyMap<string, Set<Connection>>): ReadonlySet<Connection> {
  let most = new Set<Connection>();
  for (const own of byAddress.values()) if (own.size > most.size) most = own;
  return most;
}

/**
 * Closes the least useful one: first those without any request, then the longest idle; oldest
 * first.
 */
function giveWay(among: ReadonlySet<Connection>): boolean {
  const now = performance.now();
  let least: Connection | undefined;
  for (const one of among) {
    if (one.current !== undefined || one.socket.destroyed) continue;
    if (now - Math.max(one.openedAt, one.since) < youngMs) continue;
    // A set is in order of arrival, so the first without a request is the oldest.
    if (least === undefined || one.since < least.since) least = one;
    if (least.since === 0) break;
  }
  least?.socket.destroy();
  return least !== undefined;
}

function isSlow({ current, since, readBefore, socket }: Connection, now: number): boolean {
  if (current === undefined || current.complete) return false;
  const seconds = (now - since) / 1_000;
  if (seconds * 1_000 < graceMs) return false;
  return socket.bytesRead - readBefore < seconds * bodyBytesPerSecondMin;
}

/**
 * Reads and drops the rest of a refused request: closing the connection would break its sender's
 * pipe before the answer is read.
 */
function readToTheEnd(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.once("finish", () => {
    if (incoming.complete || incoming.socket.destroyed) return;
    const { socket } = incoming;
    const cut = setTimeout(() => socket.destroy(), lingerMs).unref();
    incoming.once("close", () => clearTimeout(cut));
    incoming.once("end", () => clearTimeout(cut));
    incoming.resume();
  });
}

/** Limits the connections of one address. */
export function limitAddresses(server: NetServer, most: number): void {
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const count = (open.get(address) ?? 0) + 1;
    if (count > most) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}
