/**
 * @module Corpus of personal numbers: telephone and social security numbers as people write them.
 */
import type { Draw } from "./corpus-random.ts";

/** Three digits of a North American number, of which the first is two or more. */
const exchange = (draw: Draw): string =>
  `${2 + (Number(draw("digits", 1)) % 8)}${draw("digits", 2)}`;

/** Social security numbers of areas, groups and serials that are issued. */
const social = (draw: Draw): readonly [area: string, group: string, serial: string] => [
  `${1 + (Number(draw("digits", 1)) % 5)}${draw("digits", 2)}`,
  `${1 + (Number(draw("digits", 1)) % 9)}${draw("digits", 1)}`,
  `${1 + (Number(draw("digits", 1)) % 9)}${draw("digits", 3)}`,
];

/** Makers of a number by the way it is written. */
export const personalNumbers: { readonly [form: string]: (draw: Draw) => string } = {
  us_dashes: (draw) => `${exchange(draw)}-${exchange(draw)}-${draw("digits", 4)}`,
  us_brackets: (draw) => `(${exchange(draw)}) ${exchange(draw)}-${draw("digits", 4)}`,
  us_dots: (draw) => `${exchange(draw)}.${exchange(draw)}.${draw("digits", 4)}`,
  us_country: (draw) => `+1 ${exchange(draw)} ${exchange(draw)} ${draw("digits", 4)}`,
  us_e164: (draw) => `tel:+1${exchange(draw)}${exchange(draw)}${draw("digits", 4)}`,
  german: (draw) => `+49 30 ${draw("digits", 4)} ${draw("digits", 3)}`,
  german_slash: (draw) => `phone:+49/89/${draw("digits", 7)}`,
  british: (draw) => `+44 20 7946 ${draw("digits", 4)}`,
  french: (draw) =>
    `+33 6 ${draw("digits", 2)} ${draw("digits", 2)} ${draw("digits", 2)} ${draw("digits", 2)}`,
  indian: (draw) => `+91-98${draw("digits", 3)}-${draw("digits", 5)}`,
  chinese: (draw) => `+86138${draw("digits", 8)}`,
  whatsapp: (draw) => `whatsapp:+5511${draw("digits", 9)}`,
  social_dashes: (draw) => social(draw).join("-"),
  social_spaces: (draw) => social(draw).join(" "),
  social_named: (draw) => `ssn:${social(draw).join("-")}`,
};
