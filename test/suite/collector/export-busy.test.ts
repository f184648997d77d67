/** An export from a collector that is busy for a while. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeral } from "@turnproof/store";
import { expect, test } from "vitest";

import { turnproof } from "../contracts/command.ts";
import { openDesk, turnEvents } from "./desk.ts";

const token = "operator-q7KxZt4Wm9Rc2Yd8";

test("a part is requested again after its Retry-After, within a bound", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "turnproof-busy-"));
  const desk = await openDesk(
    { TURNPROOF_UI_AUTH_TOKEN: token },
    { store: ephemeral(), judge: false },
  );
  await desk.put(turnEvents({ root: "root" }), "2026-11-21T10:00:00.000000Z");
  let [busy, requests] = [0, 0];
  const server = createServer((request, response) => {
    requests += 1;
    if (requests <= busy) {
      const problem = { code: "store_timeout", detail: "The store did not answer in time." };
      response.writeHead(503, { "retry-after": "0" }).end(JSON.stringify(problem));
      return;
    }
    const { authorization = "" } = request.headers;
    const answered = Promise.resolve(desk.get(request.url ?? "", { authorization }));
    void answered.then(async (answer) => {
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const shared = [
    "--url",
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    "--token",
    token,
  ];
  const toFiles = ["--out", join(folder.path, "turns"), "--table", "turns", ...shared];
  try {
    busy = Infinity;
    const failed = await turnproof("export", ...toFiles);
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining("--resume")]);
    expect(requests).toBe(21);
    for (const [flags, rows] of [
      [toFiles, "1 rows of turns"],
      [shared, "3 events"],
    ] as const) {
      [busy, requests] = [2, 0];
      const ran = await turnproof("export", ...flags);
      expect([ran.code, ran.err]).toEqual([0, expect.stringContaining(rows)]);
    }
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await desk.collector.close();
  }
});
