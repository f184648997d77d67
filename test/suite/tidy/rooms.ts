/**
 * @module Rooms of the collector: its folders, and the direction in which they import. A value
 * comes from a room below; a type may come from any room but those on top. A page's folder imports
 * no other page's.
 */
import { posix } from "node:path";

import type { Breach, SourceFile } from "./source-file.ts";

/** The rooms, from the bottom to the top. */
export const rooms: readonly string[] = [
  "ui/display",
  "config",
  "access",
  "backend",
  "memory",
  "http",
  "receive",
  "hooks",
  "turns",
  "judge",
  "ui",
  "pages",
  "reading",
  // Files of no room put the parts together.
  "",
  "cli",
];

const home = "collector/src/";
/** What is handed to every route, and what everything may write to. */
const everywhere = new Set(["log.ts", "parts.ts", "version.ts"]);

/** The room of a path below `collector/src`. */
function roomOf(path: string): string {
  if (path === "main.ts") return "cli";
  const found = rooms.find((room) => room !== "" && path.startsWith(`${room}/`));
  return found ?? (path.includes("/") ? (path.split("/")[0] ?? "") : "");
}

const pageOf = (path: string): string | undefined => /^pages\/([^/]+)\//.exec(path)?.[1];

/** Imports of a file that go against the direction. */
export function againstRooms(file: SourceFile): readonly Breach[] {
  if (!file.path.startsWith(home) || /\.test\.tsx?$/.test(file.path)) return [];
  const from = file.path.slice(home.length);
  const level = rooms.indexOf(roomOf(from));
  const statement = /^(?:import|export)\s+(type\s)?[^;"]*?from\s+"(\.[^"]+)"/gm;
  return [...file.text.matchAll(statement)].flatMap(([text, type, specifier = ""]) => {
    const to = posix.normalize(posix.join(posix.dirname(from), specifier));
    const line = file.text.slice(0, file.text.indexOf(text)).split("\n").length;
    const breach = (rule: string): readonly Breach[] => [{ path: file.path, line, rule }];
    if (level === -1) return breach(`${roomOf(from)} is no room of the collector`);
    const [own, other] = [pageOf(from), pageOf(to)];
    if (own !== undefined && other !== undefined && own !== other) {
      return breach(`page ${own} may not import page ${other}`);
    }
    const target = rooms.indexOf(roomOf(to));
    if (everywhere.has(to) || target <= level) return [];
    const top = target >= rooms.indexOf("pages");
    if (type !== undefined && !top) return [];
    return breach(`${roomOf(from)} may not import ${type ?? ""}from ${roomOf(to) || "the root"}`);
  });
}
