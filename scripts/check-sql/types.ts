import { type Checker, type Type, TypeFlags } from 'typescript/unstable/sync'

/** OIDs of PostgreSQL types and their arrays, by the kind of the parsed value (server/db/src/driver/columns.ts). */
const OIDS: Record<string, { of: number[]; arrays: number[] }> = {
  boolean: { of: [16], arrays: [1000] },
  bytes: { of: [17], arrays: [1001] },
  number: { of: [20, 21, 23, 26, 700, 701], arrays: [1016, 1005, 1007, 1028, 1021, 1022] },
  json: { of: [114, 3802], arrays: [199, 3807] },
  date: { of: [1082, 1114, 1184], arrays: [1182, 1115, 1185] },
  text: { of: [], arrays: [1009, 1015, 1014, 2951, 1231] },
}

/** Returns the kind of the parsed value of a type: `number`, `text[]`, … */
export function kindOfOid(oid: number): string {
  for (const [kind, { of, arrays }] of Object.entries(OIDS)) {
    if (of.includes(oid)) return kind
    if (arrays.includes(oid)) return `${kind}[]`
  }
  return 'text'
}

/** Returns the kinds of value that a TypeScript type allows, except null. Returns null if it allows anything. */
export function kindsOfType(checker: Checker, type: Type): string[] | null {
  const kinds = new Set<string>()
  for (const part of partsOf(type)) {
    const { flags } = part
    if (flags & (TypeFlags.Null | TypeFlags.Undefined)) continue
    if (flags & (TypeFlags.Any | TypeFlags.Unknown)) return null
    if (flags & (TypeFlags.StringLike | TypeFlags.TemplateLiteral)) kinds.add('text')
    else if (flags & TypeFlags.NumberLike) kinds.add('number')
    else if (flags & TypeFlags.BooleanLike) kinds.add('boolean')
    else if (symbolName(part) === 'Date') kinds.add('date')
    else if (['Uint8Array', 'Buffer'].includes(symbolName(part))) kinds.add('bytes')
    else if (part.isTypeReference() && checker.isArrayType(part)) {
      for (const kind of kindsOfType(checker, checker.getTypeArguments(part)[0]!) ?? ['any'])
        kinds.add(`${kind}[]`)
    } else kinds.add('json')
  }
  return [...kinds]
}

/** Whether a column of a kind may have this type. A jsonb column may be an array of JSON values. */
export function fits(kind: string, allowed: string[] | null): boolean {
  if (!allowed || allowed.includes(kind) || allowed.includes('any[]')) return true
  return kind === 'json' && allowed.every((each) => each !== 'date' && each !== 'bytes')
}

/** Returns the OID of a parameter of this type, as in `parameterOf` (server/db/src/driver/statement.ts). */
export function oidOfType(type: Type): number {
  const value = nonNull(type)
  switch (symbolName(value)) {
    case 'Date':
      return 1184
    case 'Uint8Array':
    case 'Buffer':
      return 17
    case 'Json':
      return 3802
  }
  return value.flags & TypeFlags.BooleanLike ? 16 : 0
}

const parts = new WeakMap<Type, readonly Type[]>()

/** Returns the members of a union, or the type itself. */
export function partsOf(type: Type): readonly Type[] {
  if (!type.isUnionType()) return [type]
  // Each call of `getTypes` is a round trip to another process.
  if (!parts.has(type)) parts.set(type, type.getTypes()!)
  return parts.get(type)!
}
const isNullish = (type: Type) => (type.flags & (TypeFlags.Null | TypeFlags.Undefined)) !== 0
export const nonNull = (type: Type): Type => partsOf(type).find((part) => !isNullish(part)) ?? type
export const isNullable = (type: Type): boolean => partsOf(type).some(isNullish)
export const isObject = (type: Type) => (type.flags & TypeFlags.Object) !== 0
export const symbolName = (type: Type): string => (isObject(type) ? (type.getSymbol()?.name ?? '') : '')
