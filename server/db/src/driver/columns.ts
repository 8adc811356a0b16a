import pg from 'pg'

type Parser = (text: string) => unknown

const int8: Parser = (text) => {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is not a safe integer`)
  return number
}
// Uint8Array instead of Buffer, whose toJSON and slice behave differently.
const bytea: Parser = (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'))
const date: Parser = (text) => new Date(text)
const text: Parser = (value) => value

/** Parsers by type OID and array OID (pg_type.dat). Other types are returned as text. */
const TYPES: [oid: number, array: number, parser: Parser][] = [
  [16, 1000, (value) => value === 't'], // boolean
  [17, 1001, bytea],
  [20, 1016, int8],
  [21, 1005, Number], // int2
  [23, 1007, Number], // int4
  [26, 1028, Number], // oid
  [700, 1021, Number], // float4
  [701, 1022, Number], // float8
  [114, 199, JSON.parse], // json
  [3802, 3807, JSON.parse], // jsonb
  [1082, 1182, date], // date
  [1114, 1115, date], // timestamp
  [1184, 1185, date], // timestamptz
  [25, 1009, text],
  [1043, 1015, text], // varchar
  [1042, 1014, text], // char
  [2950, 2951, text], // uuid
  [1700, 1231, text], // numeric
]

const { arrayParser } = pg.types as unknown as {
  arrayParser: { create(text: string, parse: Parser): { parse(): unknown[] } }
}
const PARSERS = new Map<number, Parser>()
for (const [oid, array, parser] of TYPES) {
  PARSERS.set(oid, parser)
  PARSERS.set(array, (value) => arrayParser.create(value, parser).parse())
}

export const parserOf = (oid: number): Parser => PARSERS.get(oid) ?? text
