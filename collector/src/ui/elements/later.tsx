/**
 * @module Later: parts of a page that are sent after the rest of it, where an answer takes longer
 * than the page may. Each goes to a slot of an element that was sent before, so that it stands in
 * its place without a script. Until then, the slot shows what it waits for.
 */
import type { FC, PropsWithChildren } from "hono/jsx";

/** The place of the later part: behind everything that a reader must not wait for. */
export const LaterPart: FC = () => <template data-later=""></template>;

/** The order in which an element shows its children, by their slots. */
export const Slots: FC<PropsWithChildren> = ({ children }) => (
  <template shadowrootmode="open">{children}</template>
);
