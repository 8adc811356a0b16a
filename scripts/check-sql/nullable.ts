import type { Column, Describer } from './describe.ts'
import { NEVER_NULL } from './never-null.ts'

/** Finds columns that can be null according to their tables and to outer joins. */
export class NullableColumns {
  private readonly describer: Describer
  /** By `table attribute`; undefined if it depends on outer joins. */
  private readonly known = new Map<string, boolean | undefined>()

  private readonly used: Set<string>

  constructor(describer: Describer, used: Set<string>) {
    this.describer = describer
    this.used = used
  }

  /** Whether a column can be null. False for computed columns, for which PostgreSQL does not report it. */
  async has({ tableOid, attribute, outer }: Column): Promise<boolean> {
    if (tableOid === 0) return outer
    const key = `${tableOid} ${attribute}`
    if (!this.known.has(key)) await this.read(tableOid)
    return this.known.get(key) ?? outer
  }

  private async read(tableOid: number): Promise<void> {
    const { name, view, attributes } = await this.describer.relation(tableOid)
    const columns = view ? (await this.describer.describe(view, [])).columns : []
    for (const [i, attribute] of attributes.entries()) {
      const entry = `${name}.${attribute.name}`
      const nullable = view ? await this.has(columns[i]!) : attribute.nullable
      if (nullable && entry in NEVER_NULL) this.used.add(entry)
      // The outer joins of a view appear in the plan of the statement, so one entry covers both.
      const decided = nullable ? !(entry in NEVER_NULL) : undefined
      this.known.set(`${tableOid} ${attribute.number}`, decided)
    }
  }
}
