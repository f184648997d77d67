/**
 * Hand-written rows of every version and store, and the events and findings that they must give.
 */
import { readdirSync, readFileSync } from "node:fs";

import { normalize, normalizeEvents } from "@turnproof/evidence";
import { expect, test } from "vitest";

interface Golden {
  readonly caption: string;
  readonly rule: string;
  readonly posted?: boolean;
  readonly rows: readonly unknown[];
  readonly expect: {
    readonly events: readonly object[];
    readonly errors: readonly object[];
    /** Fields that an event, by its id, must not have. */
    readonly absent?: Readonly<Record<string, readonly string[]>>;
  };
}

const folder = new URL("../../golden/normalize/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));

test("there are golden files, each with a caption and the rule that it pins", () => {
  expect(files.length).toBeGreaterThanOrEqual(9);
});

for (const file of files) {
  const golden = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Golden;

  test(`${file}: ${golden.caption}`, () => {
    expect(golden.rule).not.toBe("");
    const { absent = {}, events, ...counts } = golden.expect;
    const result = golden.posted ? normalizeEvents(golden.rows) : normalize(golden.rows);
    expect(result.events).toMatchObject(events);
    expect(result).toMatchObject(counts);
    expect(result.errors).toHaveLength(golden.expect.errors.length);
    for (const [id, fields] of Object.entries(absent)) {
      const event = result.events.find((item) => item.event_id === id);
      for (const field of fields) expect(event).not.toHaveProperty(field);
    }
    // Attributes are exact: nothing that the file does not name may have slipped in.
    for (const [i, event] of events.entries()) {
      if (!("attributes" in event)) continue;
      expect({ ...result.events[i]?.attributes }).toEqual(event.attributes);
    }
    expect(JSON.stringify(result)).not.toContain("CANARY");
  });
}
