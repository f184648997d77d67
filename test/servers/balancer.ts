/**
 * @module Balancer: one address in front of several servers, as a load balancer of TCP: each
 * connection goes to the next server in turn that takes it.
 */
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

/** A balancer on 127.0.0.1. */
export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a balancer in front of these ports of 127.0.0.1. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  };
  const reach = (client: Socket, left: number): void => {
    turn += 1;
    const behind = connect(ports[turn % ports.length] ?? 0, "127.0.0.1");
    keep(behind);
    let open = false;
    behind.once("connect", () => {
      open = true;
      client.pipe(behind).pipe(client);
    });
    behind.on("error", () => {
      if (!open && left > 1) reach(client, left - 1);
      else client.destroy();
    });
    client.on("close", () => behind.destroy());
    behind.on("close", () => open && client.destroy());
  };
  const server = createServer((client) => {
    keep(client);
    client.on("error", () => {});
    reach(client, ports.length);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
