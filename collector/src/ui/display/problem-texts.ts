/** @module ProblemTexts: explains a refused request, and what to do next. */

/** Text of an error page beside the sentence of its code. */
export interface ProblemTexts {
  readonly title: string;
  readonly next: string;
}

const byCode: { readonly [code: string]: ProblemTexts } = {
  trace_not_found_in_window: {
    title: "Not in the window that was read",
    next:
      "Nothing that you may read has this id in the part of the store that was looked at. It may " +
      "be older, belong to another tenant, or never have arrived.",
  },
  store_read_only: {
    title: "This collector is read-only",
    next: "It shows evidence and changes nothing. Start it without the read-only mode to write.",
  },
  store_timeout: {
    title: "The store is too slow",
    next:
      "A page waits five seconds for all of its reads, and shows nothing of a part. Try again, or " +
      "choose a shorter range or a narrower filter.",
  },
  preview_timeout: {
    title: "The preview is too slow",
    next:
      "A page waits five seconds for all of its reads. Choose a shorter range, or a rule with a " +
      "narrower filter.",
  },
  store_unavailable: {
    title: "No evidence can be read just now",
    next:
      "What is sent is received and kept in the journal meanwhile. Health shows why the store is " +
      "unavailable; Alerts, Memory and Settings open without it.",
  },
  evidence_pending: {
    title: "Not readable yet",
    next:
      "Batches that were received wait in the journal, and may have evidence of this trace. Try " +
      "again in a moment; Health shows how many wait.",
  },
  store_corrupt: {
    title: "Stored evidence is damaged",
    next:
      "A file, a table or rows that this page needs cannot be read. Health names them and the " +
      "command that repairs them. What is sent is still received.",
  },
  cursor_rejected: {
    title: "This page of the list is gone",
    next:
      "A cursor belongs to the filters that it was made for, and ends when what it points into " +
      "changes. Begin again at the newest.",
  },
  sides_overlap: {
    title: "Both sides are the same turns",
    next:
      "Every turn of the baseline is also one of the candidate, so none is left to compare with. " +
      "Go back and name two sides that differ, such as two releases.",
  },
  range_empty: {
    title: "This range is empty",
    next:
      "The first time must be before the second, which is not part of the range itself: one whole " +
      "day goes from its date to the date of the next.",
  },
  scope_forbidden: {
    title: "Outside what you may read",
    next: "You are bound to a tenant or an application, and this request is for another one.",
  },
  cross_origin: {
    title: "Not sent from our own pages",
    next: "Open the page here and try again.",
  },
  recommendation_closed: {
    title: "Decided already",
    next:
      "Another operator has accepted or rejected this revision. Read the decision; new evidence " +
      "can be proposed as a new revision.",
  },
  not_configured: {
    title: "Not configured here",
    next: "The host of this collector has not configured the part that this needs.",
  },
  legal_hold: {
    title: "Kept by a legal hold",
    next: "While the hold is set no note is changed or deleted. Add another note instead.",
  },
  store_conflict: {
    title: "Changed meanwhile",
    next: "Another operator was first. Go back, load the page again, and check the current state.",
  },
  name_taken: {
    title: "The name is taken",
    next: "Go back and choose another one, or delete the view that has it.",
  },
  written_limit: { title: "Limit reached", next: "Delete one that is not needed any more." },
  disk_full: {
    title: "The disk is full",
    next:
      "Make room on the disk of the data directory and the audit log; the collector goes on by " +
      "itself. Health and /metrics open meanwhile.",
  },
  audit_unavailable: {
    title: "The audit log cannot be written",
    next: "Nothing protected is shown while reads cannot be recorded. See the collector's log.",
  },
  throttled: {
    title: "Too many wrong tokens",
    next: "Wait a little; a valid token is never delayed.",
  },
};

const timeTexts: ProblemTexts = {
  title: "Invalid time",
  next:
    "Write a date such as 2026-11-21, or a time such as 2026-11-21T09:30:00Z, of the years 0000 " +
    "to 9999. Without an offset it is UTC.",
};

/** Text that the guard refused in a form of ours. */
const refusedTexts: ProblemTexts = {
  title: "This text is not accepted",
  next: "Go back, where what you wrote still is, and leave this out. Nothing was stored.",
};

const byStatus: { readonly [status: number]: ProblemTexts } = {
  400: {
    title: "Invalid address",
    next: "Parameters are strict, so that none is ignored silently.",
  },
  401: { title: "Sign in first", next: "This page is for people who are signed in." },
  403: {
    title: "Not permitted",
    next: "Your role does not hold the permission that this needs.",
  },
  404: { title: "Page not found", next: "Check the address, or go on from one of the pages." },
  405: {
    title: "Method not allowed",
    next: "The address exists, and takes another method. The interface page lists them.",
  },
  409: {
    title: "The evidence changed",
    next: "The evidence is no longer as it was on your page. Load the page again.",
  },
  408: {
    title: "Too slow",
    next: "Send it again; the whole request must arrive without long pauses.",
  },
  413: { title: "Too large", next: "Send less at once." },
  415: { title: "Format not supported", next: "Send JSON, or a form of our pages." },
  421: {
    title: "Not served under this name",
    next: "Open the collector under a host name that it was configured for.",
  },
  422: { title: "The form is not complete", next: "Go back, and check what was filled in." },
  429: { title: "Too many requests", next: "Wait a little and try again." },
  500: {
    title: "This page failed",
    next: "Try again. If it fails again, the request id below leads to its cause.",
  },
  501: {
    title: "Not configured here",
    next: "The host of this collector has not configured this.",
  },
  503: {
    title: "Not available just now",
    next: "The store or the audit log does not answer. What was received is safe in the journal.",
  },
};

/** The words of a problem; `field` is the parameter of something that was not found. */
export function problemTexts(status: number, code: string, field?: string): ProblemTexts {
  if (code === "not_found" && field !== undefined) {
    return {
      title: "Not found",
      next: "It does not exist, or your role may not read it.",
    };
  }
  if (code === "parameter_invalid" && (field === "start_time" || field === "end_time")) {
    return timeTexts;
  }
  if (code.startsWith("attribute_")) return refusedTexts;
  const fallback = { title: "This did not work", next: "Try again, or go back." };
  return byCode[code] ?? byStatus[status] ?? fallback;
}

/** Where a problem lies, and what may stand there. */
export interface RefusedPlace {
  readonly field?: string;
  readonly term?: { readonly place: number; readonly key?: string };
  readonly allowed?: readonly string[];
}

/** Most words that a sentence lists. */
const wordsMax = 24;

/** The place and the allowed words as a sentence; empty where a problem names none. */
export function allowedText({ field, term, allowed = [] }: RefusedPlace): string {
  if (allowed.length === 0 && term === undefined) return "";
  const key = term?.key === undefined ? "" : ` (${term.key}:)`;
  const place = [
    ...(field === undefined ? [] : [field]),
    ...(term === undefined ? [] : [`term ${term.place}${key}`]),
  ].join(", ");
  const more = allowed.length - wordsMax;
  const words = allowed.slice(0, wordsMax).join(", ") + (more > 0 ? `, and ${more} more` : "");
  const at = place === "" ? "" : ` in ${place}`;
  return allowed.length === 0 ? `The problem is${at}.` : `Allowed${at}: ${words}.`;
}
