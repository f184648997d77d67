/** A form of notes that is refused without scripts, over HTTP. */
import { afterAll, beforeAll, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const root = "root-1";
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({}, { judge: false });
  await desk.put(turnEvents({ root }));
});
afterAll(() => desk.collector.close());

/** Adds a note as JSON. */
async function noted(body: object): Promise<{ readonly id: string }> {
  const response = await desk.collector.app.request("http://localhost:4318/traces/notes", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as { readonly id: string };
}

test("a refused form is answered with its turn and the reason, without the text", async () => {
  const sent = async (path: string, fields: Record<string, string>): Promise<[number, string]> => {
    const response = await desk.collector.app.request(`http://localhost:4318${path}`, {
      method: "POST",
      headers: {
        accept: "text/html",
        "content-type": "application/x-www-form-urlencoded",
        origin: "http://localhost:4318",
      },
      body: new URLSearchParams(fields),
    });
    return [response.status, await response.text()];
  };
  const secret = "Reach mara.quan@example.com at once";
  const [status, page] = await sent("/traces/notes", { root_trace_id: root, text: secret });
  expect(status).toBe(400);
  expect(page).toContain("Causal waterfall");
  expect(page).toMatch(/id="refusal-new-note" role="alert" data-problem="true">[^<]+</u);
  expect(page).not.toContain("mara.quan");
  // Its links are of the page of the turn.
  expect(page).not.toMatch(/href="\/traces\/notes/u);
  const own = { root_trace_id: root, text: "Mine" };
  const { id } = await noted(own);
  const change = { root_trace_id: root, id, version: "1", text: secret };
  const [refused, changed] = await sent("/traces/notes/change", change);
  expect(refused).toBe(400);
  expect(changed).toMatch(new RegExp(`<details class="note-acts" open[^>]*>`, "u"));
  expect(changed).toMatch(
    new RegExp(`id="refusal-${id}" role="alert" data-problem="true">[^<]+<`, "u"),
  );
  expect(changed).not.toContain("mara.quan");
  // Without a turn that the principal reads there is the page of the error alone.
  const [foreign, error] = await sent("/traces/notes", { root_trace_id: "none", text: "Hello" });
  expect(foreign).toBe(404);
  expect(error).not.toContain("Causal waterfall");
});
