/** @module Places: the links of the rail, their names, and the key after `g` for each. */
import type { IconName } from "./icons.tsx";

/** One place of the rail. */
export interface Place {
  readonly href: string;
  readonly name: string;
  readonly icon: IconName;
  readonly key: string;
  /** Pages that belong to it, besides those below its own address. */
  readonly also?: readonly string[];
}

/** The places in their order. */
export const places: readonly Place[] = [
  { href: "/traces", name: "Turns", icon: "turns", key: "t", also: ["/sample"] },
  { href: "/threads", name: "Threads", icon: "threads", key: "d" },
  { href: "/agents", name: "Agents", icon: "agents", key: "a", also: ["/graph"] },
  { href: "/tools", name: "Tools", icon: "tool", key: "o" },
  { href: "/cost", name: "Cost", icon: "cost", key: "p" },
  {
    href: "/traces/incidents",
    name: "Incidents",
    icon: "incidents",
    key: "i",
    also: ["/traces/find"],
  },
  { href: "/traces/compare", name: "Compare", icon: "compare", key: "c" },
  { href: "/traces/health", name: "Health", icon: "health", key: "h" },
  { href: "/alerts", name: "Alerts", icon: "warning", key: "w" },
  { href: "/learning", name: "Learning", icon: "learning", key: "l" },
  { href: "/memory", name: "Memory", icon: "memory", key: "m" },
  { href: "/settings", name: "Settings", icon: "settings", key: "s" },
];
