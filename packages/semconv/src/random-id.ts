/**
 * @module Random ids: UUIDs of version 4 (RFC 9562) on any web platform. `crypto.randomUUID` is
 * missing on pages that are not served over HTTPS; `getRandomValues` is not.
 */

const hex: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);

/** A new random UUID: 36 lower-case characters. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  let text = "";
  for (const [index, byte] of bytes.entries()) {
    if (index === 4 || index === 6 || index === 8 || index === 10) text += "-";
    text += hex[byte];
  }
  return text;
}
