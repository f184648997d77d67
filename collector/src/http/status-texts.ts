/**
 * @module StatusTexts: the statuses of our answers in words. Not from `node:http`: an import of
 * that also loads Node's client for `fetch`, 44 ms of CPU in a thread that serves no socket.
 */
const words: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  421: "Misdirected Request",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
};

/** A status in words. */
export function statusTexts(status: number): string {
  return words[status] ?? "Error";
}
