/** @module InCode: text of the description, with words in backticks as code. */
import type { FC } from "hono/jsx";

/** The text. */
export const InCode: FC<{ readonly text: string }> = ({ text }) => (
  <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
);
