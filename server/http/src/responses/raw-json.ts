/** The JSON text of a `T`. Responses are composed of such texts without parsing them. */
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

/** The members of a `T`, each as its value or as JSON text. */
type Members<T> = { [Name in keyof T]: T[Name] | RawJson<NonNullable<T[Name]>> }

/** Serializes an object with members that are JSON already. `T` must be given, so that the compiler reports a missing member. */
export function jsonOf<T extends object = never>(members: Members<NoInfer<T>>): RawJson<T> {
  // One call of JSON.stringify for all values takes half the time of a call for each.
  const values: Record<string, unknown> = {}
  let texts = ''
  for (const name in members) {
    const value: unknown = members[name as keyof typeof members]
    if (value instanceof RawJson) texts += `,${JSON.stringify(name)}:${value.text}`
    else values[name] = value
  }
  const rest = JSON.stringify(values)
  if (texts === '') return new RawJson(rest)
  return new RawJson(rest === '{}' ? `{${texts.slice(1)}}` : `${rest.slice(0, -1)}${texts}}`)
}

/** A list of rows that are JSON already: each of them, or their texts joined by commas. */
export const jsonListOf = <Row>(rows: string | readonly RawJson<Row>[]): RawJson<Row[]> =>
  new RawJson(`[${typeof rows === 'string' ? rows : rows.map((row) => row.text).join(',')}]`)

/** Adds members to a row that is JSON already. Neither may be empty. */
export function withMembers<Row extends object, More extends object>(
  row: RawJson<Row>,
  members: More | RawJson<More>,
): RawJson<Row & More> {
  const more = members instanceof RawJson ? members.text : JSON.stringify(members)
  return new RawJson(`${row.text.slice(0, -1)},${more.slice(1)}`)
}
