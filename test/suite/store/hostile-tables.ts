/**
 * @module HostileTables: tables that may lie under the name of ours when tenants come, as the one
 * who used an early schema may have changed them. `works` is whether a provider opens over it;
 * else it names the column that is not as needed.
 */

/** One shape of `conversation_memory`. */
export interface HostileTable {
  readonly name: string;
  readonly sql: string;
  /** True: opened and used; text: the column that is named when it is refused. */
  readonly works: true | string;
  /** False: nothing can take the column there. */
  readonly takesColumn?: false;
}

const columns = `row_no bigint GENERATED ALWAYS AS IDENTITY, id text COLLATE "C" NOT NULL,
    agent_id text, memory_id text, thread_id text, body text, embedding double precision[],
    data json NOT NULL, created_at text NOT NULL, created_key text NOT NULL, expires_at text,
    expires_ms bigint, updated_at text NOT NULL, version bigint NOT NULL DEFAULT 1`;

const row = (id: string, table = "conversation_memory"): string =>
  `INSERT INTO ${table} (id, data, created_at, created_key, updated_at) VALUES ('${id}', '{"n": 1}',
    '2025-01-01T00:00:00Z', '2025-01-01T00:00:00.000000000', '2025-01-01T00:00:00Z');`;

const table = (extra = "", given = columns): string =>
  `CREATE TABLE conversation_memory (${given}${extra});`;

const without = (column: string): string => columns.replace(new RegExp(`,\\s*${column} [^,]+`), "");

/** Every shape. */
export const hostileTables: readonly HostileTable[] = [
  { name: "as it was", sql: table(", PRIMARY KEY (row_no)") + row("old"), works: true },
  { name: "no primary key", sql: table() + row("old"), works: true },
  { name: "ids that stand twice", sql: table() + row("old") + row("old") + row("b"), works: true },
  {
    name: "an id of a megabyte, twice",
    sql: `${table()}${`INSERT INTO conversation_memory (id, data, created_at, created_key, updated_at)
SELECT repeat('x', 1000000), '{}', '2025', '2025', '2025' FROM generate_series(1, 2);`}`,
    works: true,
  },
  { name: "a primary key on id", sql: table(", PRIMARY KEY (id)") + row("old"), works: true },
  {
    name: "a length on every id",
    sql: table("", columns.replaceAll(" text", " varchar(300)")) + row("old"),
    works: true,
  },
  {
    name: "columns of its own, and a check",
    sql: table(`, "user" text DEFAULT 'x', "USER_ID" int, CHECK (id <> '')`) + row("old"),
    works: true,
  },
  {
    name: "a view on it, a materialized one, a trigger that refuses changes, and a rule",
    sql: `${table()}${row("old")}
CREATE VIEW seen AS SELECT * FROM conversation_memory;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM conversation_memory;
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
CREATE TRIGGER fixed BEFORE DELETE ON conversation_memory FOR EACH ROW EXECUTE FUNCTION refuse();`,
    works: true,
  },
  {
    name: "indexes under our names that are others",
    sql: `${table()}${row("old")}${row("old")}
CREATE INDEX conversation_memory_tenant_id ON conversation_memory (body);
CREATE INDEX conversation_memory_tenant_created ON conversation_memory (body);`,
    works: true,
  },
  {
    name: "a tenant that was added by hand",
    sql: `${table(", user_id text")}${row("old")}`,
    works: true,
  },
  {
    name: "partitions",
    sql: `${table("", columns)
      .replace("GENERATED ALWAYS AS IDENTITY", "DEFAULT 1")
      .replace(";", " PARTITION BY HASH (id);")}
CREATE TABLE part_0 PARTITION OF conversation_memory FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part_1 PARTITION OF conversation_memory FOR VALUES WITH (MODULUS 2, REMAINDER 1);
${row("old")}${row("b")}`,
    works: true,
  },
  {
    name: "a partition of something else",
    sql: `CREATE TABLE whole (${columns.replace("GENERATED ALWAYS AS IDENTITY", "DEFAULT 1")}) PARTITION BY HASH (id);
CREATE TABLE conversation_memory PARTITION OF whole FOR VALUES WITH (MODULUS 1, REMAINDER 0);
${row("old")}`,
    works: true,
  },
  {
    name: "a child of another table",
    sql: `CREATE TABLE above (id text COLLATE "C"); CREATE TABLE conversation_memory (${columns}) INHERITS (above);
${row("old")}`,
    works: true,
  },
  {
    name: "row-level security",
    sql: `${table()}${row("old")}ALTER TABLE conversation_memory ENABLE ROW LEVEL SECURITY;`,
    works: true,
  },
  {
    name: "a column that is missing",
    sql: table("", without("created_key")),
    works: "conversation_memory.created_key",
  },
  {
    name: "hardly a column",
    sql: "CREATE TABLE conversation_memory ();",
    works: "conversation_memory.row_no",
  },
  {
    name: "ids that are numbers, twice",
    sql: `CREATE TABLE conversation_memory (id int, content text);
INSERT INTO conversation_memory VALUES (1, 'a'), (1, 'b'), (NULL, 'c');`,
    works: "conversation_memory.row_no",
  },
  {
    name: "ids that are uuids",
    sql: table("", columns.replace('id text COLLATE "C"', "id uuid")),
    works: "conversation_memory.id",
  },
  {
    name: "a tenant that is a number",
    sql: table(", user_id int"),
    works: "conversation_memory.user_id",
  },
  {
    name: "a tenant of a fixed length, which is padded",
    sql: table(", user_id char(10)"),
    works: "conversation_memory.user_id",
  },
  {
    name: "a tenant that is cut behind 63 bytes",
    sql: table(", user_id name"),
    works: "conversation_memory.user_id",
  },
  {
    name: "names in capitals, which are other names",
    sql: `CREATE TABLE "CONVERSATION_MEMORY" ("ID" int, "DATA" text);
INSERT INTO "CONVERSATION_MEMORY" VALUES (1, 'a');`,
    works: true,
    takesColumn: false,
  },
  {
    name: "a view under the name",
    sql: "CREATE VIEW conversation_memory AS SELECT 1 AS id;",
    works: "conversation_memory.row_no",
    takesColumn: false,
  },
  {
    name: "a table of a type",
    sql: `CREATE TYPE shape AS (id text, body text); CREATE TABLE conversation_memory OF shape;`,
    works: "conversation_memory.row_no",
    takesColumn: false,
  },
  { name: "nothing at all", sql: "SELECT 1;", works: true, takesColumn: false },
];
