import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { webOperations } from '@ordbook/contract/web.ts'
import { freshNames } from './names.ts'
import { keyOf, partsOf, type Schema, schemaOf } from './schema.ts'

const FORMATS: Readonly<Record<string, string>> = { uuid: 'uuid', 'date-time': 'dateTime', uri: 'uri' }

/** Prints sdk/src/checks/answers.ts: a check for every operation's response. */
export function printChecks(): string {
  const answers = Object.values<Operation>({ ...operations, ...webOperations }).map(
    ({ id, answer }) => [id, schemaOf(answer)] as const,
  )
  const printer = new Printer(answers)
  const exported = answers.map(([id, answer]) => `export const ${id}: Check = ${printer.print(answer)}`)
  const checks = [...printer.lines, ...exported].join('\n')
  const importing = (names: string, file: string) =>
    `import { ${names
      .split(' ')
      .filter((name) => new RegExp(`\\b${name}\\b`).test(checks))
      .join(', ')} } from '${file}'`
  return `// Generated from the schemas of the contract. To update: npm run generate -- checks
${importing('any array boolean closed distinct integer nothing number object oneOf text', './check.ts').replace('{', '{ type Check,')}
${importing('dateTime uri uuid', './formats.ts')}

${checks}
`
}

/** Prints schemas as checks. Schemas that occur more than once, or that have a title, become constants in `lines`. */
class Printer {
  readonly lines: string[] = []
  private readonly counts = new Map<string, number>()
  private readonly printed = new Map<string, string>()
  private readonly nameOf: (schema: Schema) => string

  constructor(answers: readonly (readonly [id: string, answer: Schema])[]) {
    for (const [, answer] of answers) this.count(answer)
    this.nameOf = freshNames(answers)
  }

  print(schema: Schema): string {
    const key = keyOf(schema)
    const known = this.printed.get(key)
    if (known) return known
    const check = this.printCheck(schema)
    if (!check.startsWith('(') || (this.counts.get(key)! < 2 && !schema.title)) return check
    const name = this.nameOf(schema)
    this.printed.set(key, name)
    this.lines.push(`const ${name}: Check = ${check}`)
    return name
  }

  private printCheck(schema: Schema): string {
    const { type, anyOf, format, minLength, maxLength, pattern, minItems, maxItems } = schema
    if (anyOf) return `(v) => any(v, ${anyOf.map((each) => this.print(each)).join(', ')})`
    const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
    if (values) return `(v) => oneOf(v, ${values.map(literal).join(', ')})`
    if (format !== undefined) return FORMATS[format]!
    const list = schema.uniqueItems ? 'distinct' : 'array'
    switch (type) {
      case 'object':
        return this.printObject(schema)
      case 'array':
        return call(list, [this.print(schema.items!), minItems, maxItems], ['', 0, Infinity])
      case 'string':
        return call(
          'text',
          [minLength, maxLength, pattern && String(new RegExp(pattern, 'u'))],
          [0, Infinity, ''],
        )
      case 'null':
        return 'nothing'
      case 'boolean':
        return 'boolean'
      default:
        return call(
          type!,
          [schema.minimum, schema.maximum, schema.exclusiveMinimum],
          [-Infinity, Infinity, -Infinity],
        )
    }
  }

  private printObject({ properties = {}, required = [], additionalProperties }: Schema): string {
    const members = Object.entries(properties).map(([name, each]) => `${name}: ${this.print(each)}`)
    const optional = Object.keys(properties).filter((name) => !required.includes(name))
    return call(
      additionalProperties === false ? 'closed' : 'object',
      [
        `{ ${members.join(', ')} }`,
        optional.length > 0 ? `[${optional.map(literal).join(', ')}]` : undefined,
      ],
      ['', ''],
    )
  }

  private count(schema: Schema): void {
    const key = keyOf(schema)
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
    for (const [part] of partsOf(schema, '')) this.count(part)
  }
}

/** Prints a call of a helper, without the defaults at the end; only its name if there are no other arguments. */
function call(
  helper: string,
  args: readonly (string | number | undefined)[],
  defaults: readonly (string | number)[],
): string {
  const last = args.findLastIndex((arg) => arg !== undefined)
  const written = args.slice(0, last + 1).map((arg, i) => arg ?? defaults[i]!)
  return last < 0 ? helper : `(v) => ${helper}(${['v', ...written].join(', ')})`
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))
