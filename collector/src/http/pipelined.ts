/**
 * @module Pipelined: the requests that one connection sends at once are answered one after another.
 * Node begins all of them and keeps each answer until its turn, so ten requests of a reader that
 * takes nothing would hold ten answers in memory (faults H10).
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Begins the work of an answer once the connection's answers before it have ended. */
export type InOrder = (socket: Socket, outgoing: ServerResponse, begin: () => void) => void;

/** No connection has an answer in progress. */
export function answersInOrder(): InOrder {
  const waiting = new WeakMap<Socket, (() => void)[]>();
  return (socket, outgoing, begin) => {
    const behind = waiting.get(socket);
    outgoing.once("close", () => {
      const next = waiting.get(socket)?.shift();
      if (next === undefined) waiting.delete(socket);
      else next();
    });
    if (behind !== undefined) {
      behind.push(begin);
      return;
    }
    waiting.set(socket, []);
    begin();
  };
}
