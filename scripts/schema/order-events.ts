import type { Queryable } from '@ordbook/db/driver/connect.ts'

interface Trigger {
  name: string
  tableName: string
  functionName: string
  /** Bits of pg_trigger: 1 row, 2 before, 4 insert, 8 delete, 16 update, 32 truncate. */
  type: number
  atCommit: boolean
  condition: string | null
  columns: string[]
}

interface SqlFunction {
  name: string
  source: string
  comment: string | null
}

const EVENTS = { insert: 4, delete: 8, update: 16 }
type Event = keyof typeof EVENTS

interface Write {
  table: string
  events: Event[]
}

/**
 * Prints what a state change of a listing triggers in the database, as Markdown: triggers, the functions they call, and the tables these
 * write. Read from the catalog.
 */
export async function printOrderEvents(sql: Queryable): Promise<string> {
  const triggers = await listTriggers(sql)
  const functions = new Map((await listFunctions(sql)).map((each) => [each.name, each]))
  const tables = await listTables(sql)
  const lines: string[] = []
  const later: { write: Write; by: string }[] = [
    { write: { table: 'order_events', events: ['insert'] }, by: 'The server' },
    { write: { table: 'listings', events: ['update'] }, by: 'The server' },
  ]
  const printedTables = new Set<string>()
  for (const { write, by } of later) {
    const followers = triggers.filter(
      (trigger) => trigger.tableName === write.table && firesOn(trigger, write.events),
    )
    if (followers.length === 0) continue
    const verbs = write.events.map((event) => VERBS[event]).join(' and ')
    lines.push('', `## \`${write.table}\``, '', `${by} ${verbs} rows.`, '')
    for (const trigger of followers) {
      lines.push(`- **\`${trigger.name}\`** ${whenOf(trigger)}:`)
      for (const { name, depth } of callsFrom(trigger.functionName, functions)) {
        const { comment, source } = functions.get(name)!
        const writes = writesOf(source, tables)
        lines.push(
          [`${'  '.repeat(depth + 1)}- \`${name}\`:`, comment, ...effectsOf(source, writes)].join(' '),
        )
        for (const next of writes) {
          const key = JSON.stringify(next)
          if (printedTables.has(key)) continue
          printedTables.add(key)
          later.push({ write: next, by: `\`${name}\`` })
        }
      }
    }
  }
  return `${INTRODUCTION}${lines.join('\n')}\n`
}

const INTRODUCTION = `# Triggers of a listing's state change

The server updates a row of \`listings\` and inserts one into \`order_events\`. Triggers do the rest in the same transaction: they update
derived tables, delete rendered rows, write an event for \`GET /events\`, and notify servers of changed pages.

Each section is a table that is written on the way, with its triggers in firing order. Below each trigger are its function and the
functions that this calls, with their writes in parentheses. Triggers marked "at commit" run when the transaction ends.
`

const VERBS: Record<Event, string> = { insert: 'adds', update: 'changes', delete: 'deletes' }

const firesOn = ({ type }: Trigger, events: readonly Event[]) =>
  events.some((event) => (type & EVENTS[event]) !== 0)

function whenOf({ type, atCommit, condition, columns }: Trigger): string {
  const when = atCommit ? 'at commit,' : type & 2 ? 'before' : 'after'
  const parts = [`${when} ${type & 1 ? `${atCommit ? 'for ' : ''}each row` : 'the statement'}`]
  if (columns.length > 0) parts.push(`if it sets ${columns.map((column) => `\`${column}\``).join(', ')}`)
  if (condition) parts.push(`when \`${plain(condition)}\``)
  return parts.join(', ')
}

/** Formats an expression of the catalog in this project's SQL style. */
const plain = (text: string) =>
  text
    .split("'")
    .map((part, i) => (i % 2 === 1 ? part : part.toLowerCase()))
    .join("'")
    .replaceAll('timestamp with time zone', 'timestamptz')

/** Returns a function and the functions it calls, each once, with the depth of the call. */
function callsFrom(
  name: string,
  functions: ReadonlyMap<string, SqlFunction>,
  depth = 0,
  seen = new Set<string>(),
): { name: string; depth: number }[] {
  if (seen.has(name)) return []
  seen.add(name)
  const { source } = functions.get(name)!
  const called = [...functions.keys()].filter(
    (other) => other !== name && new RegExp(`\\b${other}\\s*\\(`).test(source),
  )
  return [{ name, depth }, ...called.flatMap((other) => callsFrom(other, functions, depth + 1, seen))]
}

function writesOf(source: string, tables: ReadonlySet<string>): Write[] {
  const found = new Map<string, Write>()
  const patterns = {
    insert: /\binsert into (\w+)/g,
    update: /\bupdate (\w+)/g,
    delete: /\bdelete from (\w+)/g,
  }
  for (const [event, pattern] of Object.entries(patterns))
    for (const [, table] of source.matchAll(pattern)) {
      if (!tables.has(table!)) continue
      const write = found.get(table!) ?? { table: table!, events: [] }
      if (!write.events.includes(event as Event)) write.events.push(event as Event)
      found.set(table!, write)
    }
  return [...found.values()]
}

function effectsOf(source: string, writes: readonly Write[]): string[] {
  const effects = writes.map(({ table, events }) => `(${events.join(', ')}: \`${table}\`)`)
  return /\bpg_notify\(/.test(source) ? [...effects, '(notify: `ordbook`)'] : effects
}

function listTriggers(sql: Queryable): Promise<Trigger[]> {
  return sql<Trigger[]>`
    select t.tgname::text as name, c.relname::text as table_name, p.proname::text as function_name, t.tgtype as type,
      t.tginitdeferred as at_commit, substring(pg_get_triggerdef(t.oid, true) from 'WHEN \((.*)\) EXECUTE') as condition,
      array(select a.attname::text from unnest(t.tgattr) as n join pg_attribute a on a.attrelid = c.oid and a.attnum = n
        order by a.attnum) as columns
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal
    order by t.tginitdeferred, t.tgtype & 2 = 0, t.tgtype & 1 = 0, t.tgname`
}

function listFunctions(sql: Queryable): Promise<SqlFunction[]> {
  return sql<SqlFunction[]>`
    select proname::text as name, coalesce(pg_get_function_sqlbody(oid), prosrc) as source, obj_description(oid, 'pg_proc') as comment
    from pg_proc where pronamespace = 'public'::regnamespace order by proname`
}

async function listTables(sql: Queryable): Promise<Set<string>> {
  const rows = await sql<{ name: string }[]>`
    select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`
  return new Set(rows.map(({ name }) => name))
}
