/**
 * @module Icons: one sprite of small line icons. An icon is always beside a word or has one for
 * screen readers; colour alone carries no meaning.
 */
import type { FC } from "hono/jsx";

/** Icons on a 16-pixel grid, as path data. */
const drawings = {
  turns: "M2 4h12M2 8h9M2 12h6",
  threads: "M4 2v12M4 5h6a2 2 0 0 1 2 2v0a2 2 0 0 0 2 2M4 11h4",
  agents:
    "M8 7a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 14c.4-3 2.400-4.500 5-4.500s4.600 1.500 5 4.500",
  find: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM11 11l3 3",
  incidents: "M8 1.500 14.500 8 8 14.500 1.500 8 8 1.500ZM8 5v3.500M8 10.900v.1",
  compare: "M6 3v10M10 3v10M2 6l4-3M14 10l-4 3",
  health: "M1.500 8h3l2-5 3 10 2-5h3",
  learning: "M8 2 1.500 5.500 8 9l6.500-3.500L8 2ZM4 7.500V11c2 2 6 2 8 0V7.500",
  memory:
    "M3 4c0-1.100 2.200-2 5-2s5 .9 5 2-2.200 2-5 2-5-.9-5-2ZM3 4v8c0 1.100 2.200 2 5 2s5-.9 5-2V4M3 8c0 1.100 2.200 2 5 2s5-.9 5-2",
  settings: "M3 4h6M13 4h0M3 8h1M8 8h5M3 12h7M11 2.500v3M6 6.500v3M12 10.500v3",
  success: "M3 8.500l3.200 3L13 4.500",
  partial: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 2v12",
  failed: "M4 4l8 8M12 4l-8 8",
  unknown: "M5.800 6a2.200 2.200 0 1 1 3.300 1.900c-.7.4-1.100.9-1.100 1.600M8 12.200v.1",
  unjudged: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Z",
  running: "M5 3.500v9l7-4.500-7-4.500Z",
  warning: "M8 2 1.500 13.500h13L8 2ZM8 6.500v3.200M8 11.600v.1",
  person:
    "M8 7.500A2.500 2.500 0 1 0 8 2.500a2.500 2.500 0 0 0 0 5ZM3.500 13.500c.5-2.500 2.200-3.800 4.500-3.800s4 1.300 4.500 3.800",
  anonymous:
    "M2 7h12M4 7l1-4h6l1 4M5 11.500a1.500 1.500 0 1 0 0-.1ZM11 11.500a1.500 1.500 0 1 0 0-.1ZM6.500 11h3",
  link: "M6.500 9.500l3-3M7 4.500l1.500-1.500a3 3 0 0 1 4.300 4.300L11.300 8.800M9 11.500 7.500 13a3 3 0 0 1-4.300-4.300l1.500-1.500",
  copy: "M5.500 5.500h8v8h-8zM3 10.500h-.5v-8h8V3",
  live: "M8 9.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3ZM4.500 11.500a5 5 0 0 1 0-7M11.500 4.500a5 5 0 0 1 0 7",
  filter: "M2 3h12l-4.500 5.500V13l-3-1.500v-3L2 3Z",
  cache: "M9 1.500 3.500 9H8l-1 5.500L12.500 7H8l1-5.500Z",
  cacheMiss: "M9 1.500 3.500 9H8l-1 5.500L12.500 7H8l1-5.500ZM2 2l12 12",
  cacheOff: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM4 12l8-8",
  blocking: "M5.500 2h5L14 5.500v5L10.500 14h-5L2 10.500v-5L5.500 2ZM8 5v3.500M8 10.900v.1",
  info: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 7.500v3.300M8 5.100v.1",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 4.500V8l2.500 1.500",
  model:
    "M8 1.500l1.600 4.900 4.900 1.600-4.900 1.600L8 14.500l-1.600-4.900L1.500 8l4.900-1.600L8 1.500Z",
  tool: "M9.500 6.500 4 12a1.400 1.400 0 0 1-2-2l5.500-5.500M8 5a3.500 3.500 0 0 1 4.800-3L10.500 4.300l1.200 1.200L14 3.200A3.500 3.500 0 0 1 9.500 6.500",
  cost: "M8 1.500v13M11.500 4.500C11 3.200 9.700 2.800 8 2.800c-2 0-3.400.9-3.400 2.500 0 3.700 7 1.700 7 5.300 0 1.700-1.600 2.600-3.600 2.600-1.900 0-3.300-.6-3.800-2.100",
  host: "M2.500 2.500h11v4h-11zM2.500 9.500h11v4h-11zM5 4.500v.1M5 11.500v.1",
  artifact: "M4 1.500h5.500L12.500 4.500v10h-8.500zM9.500 1.500v3h3",
  delivery: "M1.500 8 14.500 2 10 14.500 7.500 9l-6-1ZM7.500 9l3-3",
  contract: "M3.500 2.500h9v11h-9zM6 6h4M6 8.500h4M6 11h2",
  intent: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 5.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5Z",
  outcome: "M4 14V2M4 3h8l-2 2.500L12 8H4",
  more: "M6 3.500 10.500 8 6 12.500",
  down: "M3.500 6 8 10.500 12.500 6",
  up: "M3.500 10 8 5.500 12.500 10",
  edit: "M3 13l.700-3L11 2.700l2.300 2.300L6 12.300 3 13Z",
  close: "M4 4l8 8M12 4l-8 8",
  theme: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 2v12M8 5h4.500M8 8h6M8 11h4.500",
  help: "M6 6a2 2 0 1 1 3 1.700c-.7.4-1 .9-1 1.600M8 11.400v.1M8 1.500a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13Z",
  dense: "M2 3h12M2 6.300h12M2 9.600h12M2 13h12",
  mark: "M4.500 2h7v12L8 11l-3.500 3V2Z",
  pause: "M5.500 3.500v9M10.500 3.500v9",
  path: "M3 13c0-4 10-6 10-10M10 3h3v3",
  fit: "M2 5V2h3M11 2h3v3M14 11v3h-3M5 14H2v-3",
  fold: "M2 8h12M8 1.500v4M5.500 3.500 8 6l2.500-2.500M8 14.500v-4M5.500 12.500 8 10l2.500 2.500",
  unfold: "M2 8h12M8 5.500v-4M5.500 4 8 1.500 10.500 4M8 10.500v4M5.500 12 8 14.500l2.500-2.500",
  levelMore: "M2 3h7M5 7.500h7M9 12h5M11.500 9.500v5",
  levelLess: "M2 3h7M5 7.500h7M9 12h5",
  raw: "M5.500 4 2 8l3.500 4M10.500 4 14 8l-3.500 4",
  orphan: "M8 2.500v4M8 9.500v4M3 8h2M11 8h2",
  cycle: "M13 8a5 5 0 1 1-1.500-3.500M13 2v3h-3",
  remote: "M9.500 2.500h4v4M13.500 2.500 8 8M6.500 3.500h-4v10h10v-4",
} as const;

/** Name of an icon. */
export type IconName = keyof typeof drawings;

/** Every icon, for the patterns page. */
export const iconNames = Object.keys(drawings) as readonly IconName[];

/** The sprite, once per page. */
export const IconSprite: FC = () => (
  <svg class="sprite" aria-hidden="true" width="0" height="0" focusable="false">
    <defs>
      <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse">
        <path class="hatch" d="M-1 6 6 -1M-1 1 1 -1M4 6 6 4" />
      </pattern>
      {Object.entries(drawings).map(([name, path]) => (
        <path id={`i-${name}`} d={path} />
      ))}
    </defs>
  </svg>
);

/** An icon. Set `label` only where no word is beside it. */
export const Icon: FC<{ readonly name: IconName; readonly label?: string }> = ({ name, label }) => (
  <svg
    class="icon"
    width="16"
    height="16"
    viewBox="0 0 16 16"
    focusable="false"
    {...(label === undefined ? { "aria-hidden": "true" } : { role: "img", "aria-label": label })}
  >
    <use href={`#i-${name}`} />
  </svg>
);
