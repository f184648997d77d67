/**
 * @module Rooms: the folders of the collector and of evidence, and the direction in which they
 * import. A value comes from a room below; a type may come from any room but those on top. A page's
 * folder imports no other page's.
 */
import { posix } from "node:path";

import type { Breach, SourceFile } from "./source-file.ts";

interface House {
  readonly home: string;
  /** The rooms, from the bottom to the top; files of no room (`""`) put parts together. */
  readonly rooms: readonly string[];
  /** From this room up, types are for rooms above as well. */
  readonly top: string;
  /** Files that every room may import. */
  readonly everywhere: readonly string[];
}

/** The houses that have rooms, by the heading of their table in `docs/architecture.md`. */
export const houses = {
  "Rooms of the collector": {
    home: "collector/src/",
    rooms: [
      "ui/display",
      "config",
      "access",
      "backend",
      "memory",
      "http",
      "receive",
      "hooks",
      "cost",
      "turns",
      "tables",
      "judge",
      "alerts",
      "ui",
      "pages",
      "mcp",
      "reading",
      "",
      "cli",
    ],
    top: "pages",
    // What is handed to every route, and what everything may write to.
    everywhere: ["log.ts", "parts.ts", "version.ts"],
  },
  "Rooms of evidence": {
    home: "packages/evidence/src/",
    rooms: [
      "event",
      "normalize",
      "waterfall",
      "turns",
      "coverage",
      "reconcile",
      "compare",
      "insights",
      "",
    ],
    top: "event",
    everywhere: [],
  },
} as const satisfies Readonly<Record<string, House>>;

/** The room of a path below the home; `""` for a file of no room. */
function roomOf({ rooms }: House, path: string): string {
  if (path === "main.ts") return "cli";
  const found = rooms.find((room) => room !== "" && path.startsWith(`${room}/`));
  return found ?? (path.includes("/") ? (path.split("/")[0] ?? "") : "");
}

const pageOf = (path: string): string | undefined => /^pages\/([^/]+)\//.exec(path)?.[1];

/** Imports of a file that go against the direction. */
export function againstRooms(file: SourceFile): readonly Breach[] {
  const house: House | undefined = Object.values(houses).find(({ home }) =>
    file.path.startsWith(home),
  );
  if (house === undefined || /\.test\.tsx?$/.test(file.path)) return [];
  const from = file.path.slice(house.home.length);
  const level = house.rooms.indexOf(roomOf(house, from));
  const statement = /^(?:import|export)\s+(type\s)?[^;"]*?from\s+"(\.[^"]+)"/gm;
  return [...file.text.matchAll(statement)].flatMap(([text, type, specifier = ""]) => {
    const to = posix.normalize(posix.join(posix.dirname(from), specifier));
    const line = file.text.slice(0, file.text.indexOf(text)).split("\n").length;
    const breach = (rule: string): readonly Breach[] => [{ path: file.path, line, rule }];
    if (level === -1) return breach(`${roomOf(house, from)} is no room of ${house.home}`);
    const [own, other] = [pageOf(from), pageOf(to)];
    if (own !== undefined && other !== undefined && own !== other) {
      return breach(`page ${own} may not import page ${other}`);
    }
    const target = house.rooms.indexOf(roomOf(house, to));
    if (house.everywhere.includes(to) || target <= level) return [];
    if (type !== undefined && target < house.rooms.indexOf(house.top)) return [];
    const source = roomOf(house, to) || "the root";
    return breach(`${roomOf(house, from)} may not import ${type ?? ""}from ${source}`);
  });
}
