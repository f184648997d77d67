/** Whether the other endpoint accepts spans is unknown until it has answered. */
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { expect, test, vi } from "vitest";

import type { HealthModel } from "../../../collector/src/pages/health/route.ts";
import { listen } from "../../../collector/src/server.ts";
import { sendRecordings } from "../../apps/recorded.ts";
import { openDesk, quiet } from "../collector/desk.ts";

const wait = { timeout: 30_000, interval: 20 };

test("an endpoint that has not answered since the start is neither up nor failing", async () => {
  const held: ServerResponse[] = [];
  const endpoint = createServer((request, response) => {
    request.resume();
    held.push(response);
  });
  await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
  const desk = await openDesk(
    { TURNPROOF_BACKEND: "filesystem", TURNPROOF_FORWARD_URL: url },
    { judge: false },
  );
  const server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  const up = async (): Promise<string | undefined> =>
    /^turnproof_forward_up (\d)$/m.exec(await (await desk.get("/metrics")).text())?.[1];
  const failing = async (): Promise<unknown> =>
    (await desk.json<HealthModel>("/traces/health.json")).collector?.ingest.forward?.failing;
  try {
    await sendRecordings(server.url, { endMs: Date.now(), salt: "u" });
    await vi.waitFor(() => expect(held.length).toBeGreaterThan(0), wait);
    expect([await up(), await failing()]).toEqual([undefined, null]);
    held[0]?.writeHead(503).end();
    await vi.waitFor(async () => expect([await up(), await failing()]).toEqual(["0", true]), wait);
    await vi.waitFor(() => expect(held.length).toBeGreaterThan(1), wait);
    for (const response of held) response.end();
    await vi.waitFor(async () => expect([await up(), await failing()]).toEqual(["1", false]), wait);
  } finally {
    await server.close(1_000);
    endpoint.closeAllConnections();
    await desk.collector.close();
    endpoint.close();
  }
});
