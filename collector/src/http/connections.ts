/**
 * @module Connections: how many there may be, and who gives way. A new one never waits behind idle
 * or slow ones: of the address that has most, the one goes that is of least use. Only where all are
 * at work is a request answered 503, and asking after the process's health even then (faults H10).
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
  /** Takes no more connections, lets requests finish within the deadline, then cuts them. */
  close(deadlineMs?: number): Promise<void>;
}

/** What a request of a listener may expect. */
export interface Connections {
  /** Notes a request; false: there are too many at work, and it is answered 503. */
  admit(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
}

/** Connections beyond the bound that are there to be told so; further ones are cut. */
const spare = 512;
/** A body slower than this, once it had its time, is somebody's attempt to hold a place. */
const bodyBytesPerSecondMin = 256;
const graceMs = 4_000;
const sweepMs = 1_000;
/** A connection this young is about to say what it wants. */
const youngMs = 500;
/** How long what is left of a refused body is read, so that its sender reads the answer. */
const lingerMs = 10_000;

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly openedAt: number;
  /** The request that is being answered. */
  current: IncomingMessage | undefined;
  /** When the current request began, or the last one ended; 0 before the first. */
  since: number;
  readBefore: number;
  /** Came when all others were at work. */
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

/** Cuts the one of least use: first who never asked, then who is idle longest; the oldest first. */
function giveWay(among: ReadonlySet<Connection>): boolean {
  const now = performance.now();
  let least: Connection | undefined;
  for (const one of among) {
    if (one.current !== undefined || one.socket.destroyed) continue;
    if (now - Math.max(one.openedAt, one.since) < youngMs) continue;
    // A set is in order of arrival, so the first who never asked is the oldest.
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
 * What a refused request still sends is read and dropped: a connection that is closed under it
 * breaks its sender's pipe before the answer is read.
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

/** One address may not take all connections. */
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
