/**
 * @module NotesCard: what operators noted on the turns of the page, and the forms to note, change
 * and delete. They work without scripts.
 */
import type { FC } from "hono/jsx";

import { permits } from "../../access/principal.ts";
import type { Principal } from "../../access/principal.ts";
import type { PageContext } from "../../http/page-context.ts";
import { mayDelete } from "../../turns/turn-notes.ts";
import type { TurnNote } from "../../turns/turn-notes.ts";
import { noteCharsMax } from "../../turns/written-text.ts";
import { countText } from "../../ui/display/figures.ts";
import { Time } from "../../ui/elements/figure.tsx";
import { Hidden } from "../../ui/elements/hidden.tsx";
import { Card } from "../../ui/elements/panel.tsx";
import { Refusal } from "../../ui/elements/refusal.tsx";
import { Icon } from "../../ui/icons.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import type { TurnModel } from "./turn-reading.ts";

/** Parameters of the page that select among the turns of the root. */
const narrowing = [
  "application_id",
  "agent_id",
  "thread_id",
  "turn_id",
  "user_id",
  "scope",
  "memory_id",
] as const;

const counted = (count: number): string => `${countText(count)} ${count === 1 ? "note" : "notes"}`;

/** Leads to the notes, where there are some or one can be added. */
export const NotesLink: FC<{
  readonly notes: TurnModel["notes"];
  readonly context: PageContext;
}> = ({ notes, context }) => {
  if (notes === null || (notes.length === 0 && writerOf(context) === undefined)) return <></>;
  return (
    <a class="button small" href="#notes">
      <Icon name="edit" /> {notes.length === 0 ? "Note" : counted(notes.length)}
    </a>
  );
};

/** The card; nothing for a turn that no store holds. */
export const NotesCard: FC<{ readonly model: TurnModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const { notes, turns, root_trace_id: root } = model;
  if (notes === null || turns.length === 0) return <></>;
  const writer = writerOf(context);
  const selected = Object.fromEntries(
    narrowing.map((name) => [name, context.query.get(name) ?? undefined]),
  );
  const fields = { csrf_token: context.csrfToken, root_trace_id: root, ...selected };
  const several = turns.length > 1;
  return (
    <Card
      title="Notes"
      id="notes"
      icon="edit"
      end={notes.length === 0 ? null : countText(notes.length)}
    >
      {notes.length === 0 ? <p class="muted">No notes yet.</p> : null}
      {notes.length === 0 ? null : (
        <ol class="notes">
          {notes.map((note) => (
            <li>
              <Head note={note} named={several} />
              <p class="text">{note.text}</p>
              {/* A body has to select one turn. */}
              {writer === undefined || several ? null : (
                <Acts note={note} writer={writer} fields={fields} context={context} />
              )}
            </li>
          ))}
        </ol>
      )}
      {writer === undefined ? null : several ? (
        <p class="muted">Open one of the turns to note something on it.</p>
      ) : (
        <form
          class="note-form"
          method="post"
          action={hrefOf(context, "/traces/notes")}
          data-inline-problem
        >
          <Hidden fields={fields} />
          <TextBox label="New note" text="" />
          <Refusal of="new-note" refused={context.refusal} />
          <div class="end">
            <span class="muted">
              Shown to all who read this turn. No secrets, no personal data.
            </span>
            <button class="button" type="submit">
              Add note
            </button>
          </div>
        </form>
      )}
    </Card>
  );
};

/** The principal, where it may write. */
function writerOf({ principal, readOnly }: PageContext): Principal | undefined {
  if (readOnly || principal === undefined) return undefined;
  return permits(principal, "note.write") ? principal : undefined;
}

const Head: FC<{ readonly note: TurnNote; readonly named: boolean }> = ({ note, named }) => (
  <p class="muted">
    <b>{note.by}</b> <Time at={note.created_at} form="daytime" />
    {named ? (
      <>
        {" "}
        on <code>{note.turn_id ?? "a turn without an id"}</code>
      </>
    ) : null}
    {note.changed_at === null ? null : (
      <>
        , changed <Time at={note.changed_at} form="daytime" />
      </>
    )}
  </p>
);

const TextBox: FC<{ readonly label: string; readonly text: string }> = ({ label, text }) => (
  <textarea
    class="field"
    name="text"
    aria-label={label}
    placeholder={label}
    rows={3}
    maxlength={noteCharsMax}
    required
  >
    {text}
  </textarea>
);

const Acts: FC<{
  readonly note: TurnNote;
  readonly writer: Principal;
  readonly fields: Readonly<Record<string, string | undefined>>;
  readonly context: PageContext;
}> = ({ note, writer, fields, context }) => {
  const own = { ...fields, id: note.id };
  const isAuthor = note.by === writer.name;
  if (!isAuthor && !mayDelete(writer, note)) return <></>;
  return (
    <details
      class="note-acts"
      open={[note.id, `delete-of-${note.id}`].includes(context.refusal?.of ?? "")}
    >
      <summary>{isAuthor ? "Change or delete" : "Delete"}</summary>
      {isAuthor ? (
        <form
          class="note-form"
          method="post"
          action={hrefOf(context, "/traces/notes/change")}
          data-inline-problem
        >
          <Hidden fields={{ ...own, version: String(note.version) }} />
          <TextBox label="Text of the note" text={note.text} />
          <Refusal of={note.id} refused={context.refusal} />
          <div class="end">
            <button class="button small" type="submit">
              Save
            </button>
            <button class="button small" type="submit" form={`delete-${note.id}`}>
              Delete this note
            </button>
          </div>
        </form>
      ) : null}
      <form
        id={`delete-${note.id}`}
        method="post"
        action={hrefOf(context, "/traces/notes/delete")}
        data-inline-problem
      >
        <Hidden fields={own} />
        <Refusal of={`delete-of-${note.id}`} refused={context.refusal} />
        {isAuthor ? null : (
          <button class="button small" type="submit">
            Delete this note
          </button>
        )}
      </form>
    </details>
  );
};
