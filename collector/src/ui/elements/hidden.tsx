/** @module Hidden: the fields of a form that its reader does not fill. */
import type { FC } from "hono/jsx";

/** A hidden field for each value that is there. */
export const Hidden: FC<{ readonly fields: Readonly<Record<string, string | undefined>> }> = ({
  fields,
}) => (
  <>
    {Object.entries(fields).map(([name, value]) =>
      value === undefined ? null : <input type="hidden" name={name} value={value} />,
    )}
  </>
);
