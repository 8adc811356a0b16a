/** Serialized JSON of a `T`. Responses embed it without parsing it. */
export class RawJson<T> {
  declare readonly type?: T
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toBuffer(): Buffer {
    return Buffer.from(this.text)
  }
}

type Members<T> = { [Name in keyof T]: T[Name] | RawJson<NonNullable<T[Name]>> }

/**
 * Serializes an object whose fields can be raw JSON. `T` must be explicit, so that missing fields fail to
 * compile.
 */
export function jsonOf<T extends object = never>(members: Members<NoInfer<T>>): RawJson<T> {
  // One JSON.stringify call for all values is twice as fast as a call per value.
  const values: Record<string, unknown> = {}
  let texts = ''
  for (const name in members) {
    const value: unknown = members[name as keyof typeof members]
    if (value instanceof RawJson) texts += `,${JSON.stringify(name)}:${value.text}`
    else values[name] = value
  }
  const valuesText = JSON.stringify(values)
  if (texts === '') return new RawJson(valuesText)
  return new RawJson(valuesText === '{}' ? `{${texts.slice(1)}}` : `${valuesText.slice(0, -1)}${texts}}`)
}

/** Joins raw JSON rows into an array. A string contains rows joined by commas. */
export const jsonListOf = <Row>(rows: string | readonly RawJson<Row>[]): RawJson<Row[]> =>
  new RawJson(`[${typeof rows === 'string' ? rows : rows.map((row) => row.text).join(',')}]`)

/** Adds fields to a raw JSON object. Both must be non-empty objects. */
export function withMembers<Row extends object, More extends object>(
  row: RawJson<Row>,
  members: More | RawJson<More>,
): RawJson<Row & More> {
  const more = members instanceof RawJson ? members.text : JSON.stringify(members)
  return new RawJson(`${row.text.slice(0, -1)},${more.slice(1)}`)
}
