import { configOf } from '@ordbook/db/driver/connection.ts'
import pg from 'pg'

export interface Column {
  /** In snake case. */
  name: string
  typeOid: number
  /** OID of the column's table or view; 0 for a computed column. */
  tableOid: number
  attribute: number
  /** Whether an outer join can make the column null. */
  outer: boolean
}

export interface Described {
  columns: Column[]
  parameters: number[]
}

export interface Relation {
  name: string
  view: string | null
  attributes: { name: string; number: number; nullable: boolean }[]
}

interface Wire {
  parse(query: { name: string; text: string; types: number[] }): void
  describe(query: { type: 'S'; name: string }): void
  sync(): void
  once(event: 'parameterDescription', handle: (message: { dataTypeIDs: number[] }) => void): void
  removeAllListeners(event: 'parameterDescription'): void
}

interface Field {
  name: string
  dataTypeID: number
  tableID: number
  columnID: number
}

/** Runs Parse and Describe without Bind and Execute, which the driver does not support. */
class Description {
  private readonly name: string
  private readonly text: string
  private readonly types: number[]
  private readonly settle: (error: Error | null, fields: Field[], parameters: number[]) => void
  private fields: Field[] = []
  private parameters: number[] = []

  constructor(name: string, text: string, types: number[], settle: Description['settle']) {
    this.name = name
    this.text = text
    this.types = types
    this.settle = settle
  }

  submit(wire: Wire): void {
    wire.removeAllListeners('parameterDescription')
    wire.once('parameterDescription', ({ dataTypeIDs }) => {
      this.parameters = dataTypeIDs
    })
    wire.parse({ name: this.name, text: this.text, types: this.types })
    wire.describe({ type: 'S', name: this.name })
    wire.sync()
  }
  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.fields = fields
  }
  handleError(error: Error): void {
    // The driver drops a statement after an error.
    this.settle(error, [], [])
  }
  handleReadyForQuery(): void {
    this.settle(null, this.fields, this.parameters)
  }
}

interface Plan {
  'Parent Relationship'?: string
  'Join Type'?: string
  Output?: string[]
  Plans?: Plan[]
}

export class Describer {
  private readonly client: pg.Client
  /** Matches statements with an outer join, or with a view or function that can contain one. */
  private readonly outerJoin: RegExp
  private made = 0

  private constructor(client: pg.Client, outerJoin: RegExp) {
    this.client = client
    this.outerJoin = outerJoin
  }

  static async open(databaseUrl: string): Promise<Describer> {
    const limits = { connectMs: 10_000, statementMs: 30_000, idleMs: 0 }
    const client = new pg.Client(configOf(databaseUrl, { ...limits, applicationName: 'ordbook check-sql' }))
    await client.connect()
    // Plan without values, because only the outer joins of the plan matter.
    await client.query('set plan_cache_mode = force_generic_plan')
    const { rows } = await client.query(`
      select relname as name from pg_class where relkind = 'v' and relnamespace = 'public'::regnamespace
      union select proname from pg_proc where proretset and pronamespace = 'public'::regnamespace`)
    const names = ['left', 'right', 'full', ...rows.map(({ name }) => name)]
    return new Describer(client, new RegExp(`\\b(${names.join('|')})\\b`, 'i'))
  }

  /** Describes a statement, given the OIDs that the driver sends. Throws PostgreSQL's error. */
  async describe(text: string, oids: number[]): Promise<Described> {
    const name = `s${++this.made}`
    const { fields, parameters } = await new Promise<{ fields: Field[]; parameters: number[] }>(
      (done, fail) => {
        this.client.query(
          new Description(name, text, oids, (error, fields, parameters) =>
            error ? fail(error) : done({ fields, parameters }),
          ) as never,
        )
      },
    )
    const needsPlan = fields.length > 0 && this.outerJoin.test(text)
    const outer = needsPlan ? await this.outerColumns(name, parameters.length) : []
    if (fields.length > 0) await this.client.query(`deallocate ${name}`)
    return {
      parameters,
      columns: fields.map((field, i) => ({
        name: field.name,
        typeOid: field.dataTypeID,
        tableOid: field.tableID,
        attribute: field.columnID,
        outer: outer[i] ?? false,
      })),
    }
  }

  /** Returns whether each output comes from the nullable side of an outer join. */
  private async outerColumns(name: string, parameters: number): Promise<boolean[]> {
    const values = parameters === 0 ? '' : `(${Array(parameters).fill('null').join()})`
    const { rows } = await this.client.query(`explain (verbose, format json) execute ${name}${values}`)
    const plan = (rows[0]['QUERY PLAN'] as { Plan: Plan }[])[0]!.Plan
    const missing = new Set<string>()
    const visit = (at: Plan): void => {
      const join = at['Join Type']
      for (const each of at.Plans ?? []) {
        const side = each['Parent Relationship']
        if (
          join === 'Full' ||
          (join === 'Left' && side === 'Inner') ||
          (join === 'Right' && side === 'Outer')
        )
          for (const output of each.Output ?? []) missing.add(output)
        visit(each)
      }
    }
    visit(plan)
    return (plan.Output ?? []).map((output) => missing.has(output))
  }

  /** Returns a table or view with its columns in order. A view has its text. */
  async relation(oid: number): Promise<Relation> {
    const { rows } = await this.client.query(
      `select relname, attname as name, attnum as number, not attnotnull as nullable,
        case when relkind = 'v' then pg_get_viewdef(c.oid) end as view
      from pg_class c join pg_attribute a on attrelid = c.oid
      where c.oid = $1 and attnum > 0 and not attisdropped order by attnum`,
      [oid],
    )
    return { name: rows[0].relname, view: rows[0].view, attributes: rows }
  }

  /** Runs a statement, such as one that creates a temporary table. */
  async run(text: string): Promise<void> {
    await this.client.query(text)
  }

  close(): Promise<void> {
    return this.client.end()
  }
}
