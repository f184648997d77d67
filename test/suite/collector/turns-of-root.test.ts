/** A root of many turns: its page lists the first ones and links to the list of all. */
import { expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";

test("the page of a root of 150 turns lists 100 and links to all of them", async () => {
  const desk = await openDesk({}, { judge: false });
  try {
    const turns = Array.from({ length: 150 }, (_, at) =>
      turnEvents({ root: "many", agent: `agent-${at}` }),
    );
    await desk.put(turns.flat());
    const page = await (await desk.get("/traces/many", { accept: "text/html" })).text();
    const nav = /<nav class="card siblings".*?<\/nav>/s.exec(page)?.[0] ?? "";
    expect(nav.match(/<li>/g)).toHaveLength(100);
    expect(nav).toContain("The first 100 of 150 turns.");
    const href = /<a href="([^"]*)">\s*All turns of this root/.exec(nav)?.[1] ?? "";
    const query = new URL(href.replaceAll("&amp;", "&"), "http://desk").search;
    const list = await desk.json<{ total?: number; items: readonly object[] }>(
      `/traces/turns.json${query}&limit=250`,
    );
    expect(list.items).toHaveLength(150);
  } finally {
    await desk.collector.close();
  }
});
