/** @module MarkdownCell: texts in cells of a table of GitHub's Markdown. */

/** A text in one cell, without markup of its own. */
export function cell(text: string): string {
  return oneLine(text).replace(/[\\|*_<>[\]`]/gu, "\\$&");
}

/** A text in one cell as code. Of escapes only that of the cell's own border is read there. */
export function codeCell(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'").replaceAll("|", "\\|")}\``;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]+/gu, " ");
}
