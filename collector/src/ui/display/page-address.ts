/**
 * @module PageAddress: the address of the page of an agent, a thread or a root, by its id.
 *
 * The edge refuses a path whose spelling readers resolve differently, with `%2F`, `%25` or `..` for
 * example (`http/edge.ts`). Such characters of an id are written `~` and two hex digits, which no
 * reader of URLs resolves: `acme/desk` is `acme~2Fdesk`. Other ids are only percent-encoded.
 */

/** The pages whose last segment is an id. */
export type IdPage = "agents" | "threads" | "traces";

/**
 * What is escaped: separators and `%`; a dot where a reader could take the segment for a relative
 * one, or the end for that of the JSON; and a `~` that would be read as an escape.
 */
const escaped =
  /[/\\;%]|^\.(?=(?:\.json)?$)|\.(?=\.|$)|(?<=\.)\.|\.(?=json$)|~(?=2f|5c|3b|25|2e|7e)/gi;
const escape = /~(2f|5c|3b|25|2e|7e)/gi;

/** Path of a page below the base path, without the JSON's ending. */
export function pageAddress(page: IdPage, id: string): string {
  const segment = id.toWellFormed().replace(escaped, (one) => `~${hexOf(one)}`);
  return `/${page}/${encodeURIComponent(segment)}`;
}

/** The id in a segment of such a path, after its percent-encoding is resolved. */
export function idOfSegment(segment: string): string {
  return segment.replace(escape, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase();
}
