import type { Column, Describer } from './describe.ts'
import { NEVER_NULL } from './never-null.ts'

/** The columns that can be null according to PostgreSQL: by their tables and by outer joins. */
export class NullableColumns {
  private readonly describer: Describer
  /** By `table attribute`; undefined where an outer join decides. */
  private readonly known = new Map<string, boolean | undefined>()

  /** Collects the entries of never-null.ts that decided. */
  private readonly used: Set<string>

  constructor(describer: Describer, used: Set<string>) {
    this.describer = describer
    this.used = used
  }

  /** False, too, for a computed column: PostgreSQL does not say. */
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
      // The outer joins of a view look like those of a statement, so one entry covers both.
      const decided = nullable ? !(entry in NEVER_NULL) : undefined
      this.known.set(`${tableOid} ${attribute.number}`, decided)
    }
  }
}
