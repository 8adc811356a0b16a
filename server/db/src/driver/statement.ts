export interface Command {
  text: string
  values: unknown[]
  /** Parameter type OIDs; 0 lets the server infer the type. */
  oids: number[]
  /** Simple protocol: no parameters, several statements allowed. */
  isSimple: boolean
  /** Prepare the statement, because its text is likely to repeat. */
  isRepeated: boolean
}

export type Run = (command: Command) => Promise<unknown[]>

const OID = { boolean: 16, bytea: 17, timestamptz: 1184, jsonb: 3802 }

class Name {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

class List {
  readonly values: readonly unknown[]
  constructor(values: readonly unknown[]) {
    this.values = values
  }
}

class Rows {
  readonly rows: readonly Record<string, unknown>[]
  constructor(rows: readonly Record<string, unknown>[]) {
    this.rows = rows
  }
}

class Json {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** A statement or fragment. Runs once, when first awaited. */
export class Statement<Found extends readonly any[] = any[]> implements Promise<Found> {
  readonly [Symbol.toStringTag] = 'Statement'
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
  private readonly run: Run
  private readonly isSimple: boolean
  private result: Promise<Found> | undefined

  constructor(run: Run, strings: readonly string[], values: readonly unknown[], isSimple = false) {
    this.run = run
    this.strings = strings
    this.values = values
    this.isSimple = isSimple
  }

  // biome-ignore lint/suspicious/noThenProperty: a statement runs when it is awaited
  then<A = Found, B = never>(
    onResult?: ((rows: Found) => A | PromiseLike<A>) | null,
    onError?: ((error: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.result ??= this.execute()
    return this.result.then(onResult, onError)
  }

  catch<B = never>(onError?: ((error: any) => B | PromiseLike<B>) | null): Promise<Found | B> {
    return this.then(null, onError)
  }

  finally(onEnd?: (() => void) | null): Promise<Found> {
    return this.then().finally(onEnd)
  }

  private async execute(): Promise<Found> {
    return (await this.run({ ...compile(this), isSimple: this.isSimple })) as unknown as Found
  }
}

/** Template tag for SQL. As a function, quotes a name, builds a list from an array, or builds rows to insert from objects. */
export interface Queryable {
  <Found extends readonly any[] = any[]>(
    strings: TemplateStringsArray,
    ...values: readonly unknown[]
  ): Statement<Found>
  (name: string): Name
  (rows: readonly Record<string, unknown>[]): Rows
  (list: readonly unknown[]): List
  /** Returns verbatim SQL, possibly several statements. Never pass client input. */
  unsafe(text: string): Statement
  json(value: unknown): Json
}

export function tagOf(run: Run): Queryable {
  const sql = (first: unknown, ...values: unknown[]) => {
    if (typeof first === 'string') return new Name(first)
    const list = first as readonly unknown[]
    if ('raw' in list) return new Statement(run, list as readonly string[], values)
    const isRows = list[0] !== null && typeof list[0] === 'object' && list[0].constructor === Object
    return isRows ? new Rows(list as readonly Record<string, unknown>[]) : new List(list)
  }
  return Object.assign(sql, {
    unsafe: (text: string) => new Statement(run, [text], [], true),
    json: (value: unknown) => new Json(value),
  }) as unknown as Queryable
}

/** Compiles a statement to text and parameters. Throws TypeError if a value is undefined. */
export function compile(statement: Pick<Statement, 'strings' | 'values'>): Omit<Command, 'isSimple'> {
  let text = ''
  let isRepeated = true
  const values: unknown[] = []
  const oids: number[] = []
  const parameter = (value: unknown): string => {
    if (value === undefined)
      throw new TypeError(`undefined value in statement: ${statement.strings.join('…').trim()}`)
    const [oid, sent] = parameterOf(value)
    oids.push(oid)
    values.push(sent)
    return `$${values.length}`
  }
  const listOf = (items: readonly unknown[]) => `(${items.map(parameter).join(', ')})`
  const add = ({ strings, values: parts }: Pick<Statement, 'strings' | 'values'>) => {
    text += strings[0]
    for (const [i, part] of parts.entries()) {
      if (part instanceof Statement) add(part)
      else if (part instanceof Name) text += quote(part.text)
      else if (part instanceof List) text += part.values.length > 0 ? listOf(part.values) : '(null)'
      else if (part instanceof Rows) {
        // The text depends on the number of rows, so do not prepare it.
        isRepeated = false
        const columns = Object.keys(part.rows[0]!)
        const names = columns.map((column) => quote(snakeOf(column))).join(', ')
        text += `(${names}) values ${part.rows.map((row) => listOf(columns.map((column) => row[column]))).join(', ')}`
      } else text += parameter(part)
      text += strings[i + 1]
    }
  }
  add(statement)
  return { text, values, oids, isRepeated }
}

/** Returns a parameter's type, if the server cannot always infer it, and its value. */
function parameterOf(value: unknown): [oid: number, sent: unknown] {
  if (value instanceof Date) return [OID.timestamptz, value.toISOString()]
  if (typeof value === 'boolean') return [OID.boolean, value]
  if (value instanceof Uint8Array) return [OID.bytea, value]
  if (value instanceof Json) return [OID.jsonb, value.value === null ? null : JSON.stringify(value.value)]
  return [0, value]
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
const snakeOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
