/**
 * @module RepeatedRequests: a place between producers and a collector that keeps what it passes on,
 * and sends it again: load whose evidence is known already, as after a lost answer.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";

/** Between two requests, so that the load is steady and leaves the machine to the pages. */
const pauseMs = 150;

interface Kept {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer<ArrayBuffer>;
}

/** The place; producers send to its `url`. */
export interface Repeater {
  readonly url: string;
  /** Sends everything again and again until what it waits for settles; the number of requests. */
  during(settles: Promise<unknown>): Promise<number>;
  readonly close: () => void;
}

/** Opens a repeater in front of a collector. */
export async function openRepeater(collector: string): Promise<Repeater> {
  const kept: Kept[] = [];
  const send = ({ path, headers, body }: Kept): Promise<Response> =>
    fetch(`${collector}${path}`, { method: "POST", headers, body });
  const server = createServer((request, response) => {
    void (async () => {
      const { "content-type": type = "", "content-encoding": encoding } = request.headers;
      const one: Kept = {
        path: request.url ?? "/",
        headers: {
          "content-type": type,
          ...(encoding === undefined ? {} : { "content-encoding": encoding }),
        },
        body: await buffer(request),
      };
      const answer = await send(one);
      if (answer.ok) kept.push(one);
      response.writeHead(answer.status, {
        "content-type": answer.headers.get("content-type") ?? "",
      });
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async during(settles) {
      let running = true;
      const ended = settles.finally(() => (running = false));
      let sent = 0;
      while (running) {
        for (const one of kept) {
          if (!running) break;
          const { ok } = await send(one);
          if (ok) sent += 1;
          await setTimeout(pauseMs);
        }
      }
      await ended;
      return sent;
    },
    close: () => server.close(),
  };
}
