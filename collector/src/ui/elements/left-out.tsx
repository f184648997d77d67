/** @module LeftOut: the line above a page that does not apply all of its address. */
import type { FC } from "hono/jsx";

import { leftOutReason } from "../display/left-out-words.ts";
import type { LeftOutParameter } from "../display/left-out-words.ts";
import { Icon } from "../icons.tsx";

/** Most characters of the address that are repeated of one parameter. */
const charsMax = 60;

/** Each parameter that is not applied, marked and with its reason. */
export const LeftOut: FC<{ readonly parameters: readonly LeftOutParameter[] }> = ({
  parameters,
}) => (
  <div class="unclear" role="status" data-left-out>
    <Icon name="warning" />
    <p>Not understood and not applied:</p>
    <ul>
      {parameters.map((parameter) => (
        <li>
          <mark>{shortened(`${parameter.name}=${parameter.value}`)}</mark>{" "}
          <span class="muted">{leftOutReason(parameter)}</span>
        </li>
      ))}
    </ul>
  </div>
);

function shortened(text: string): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}
