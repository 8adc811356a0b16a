import { createHash } from 'node:crypto'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import type { Facts } from '../adoption/facts.ts'
import { charmsOf } from '../recursion/recursive-answers.ts'
import type { StoredRow } from './queries.ts'

/** Charms that do not follow from the sat number. */
const FLAGS = new Set(['reinscription', 'cursed', 'unbound', 'lost', 'vindicated', 'burned'])
/** Fields that follow from the coin. */
export const PLACE_FIELDS: ReadonlySet<string> = new Set(['place', 'value', 'owner'])

type Fields = Record<string, unknown>

/** A field that differs, as stored and as the source has it. */
export interface FieldDifference {
  field: string
  stored: unknown
  source: unknown
}

/** Compares everything that is stored of an inscription. An index that does not number sats has none to compare, unless it began at ord. */
export function compareFields(
  row: StoredRow,
  facts: Facts,
  { chain, hasSats }: { chain: string; hasSats: boolean },
): FieldDifference[] {
  const comparesSat = hasSats && facts.sat !== null
  const charms = (all: readonly string[]) => all.filter((charm) => comparesSat || FLAGS.has(charm)).toSorted()
  const stored: Fields = {
    ...fieldsOf(row),
    sat: comparesSat ? row.sat : null,
    charms: charms(charmsOf(row, chain)),
    place: `${row.txid}:${row.vout}:${row.satOffset}`,
    metadata: row.metadataHash,
    properties: row.propertiesHash,
    // The body of an adopted inscription stays at ord.
    body: row.adoptedHeight === null ? row.bodyHash : facts.bodyHash,
  }
  const source: Fields = {
    ...fieldsOf(facts),
    sat: comparesSat ? facts.sat : null,
    charms: charms(facts.charms),
    place: `${facts.txid}:${facts.vout}:${facts.satOffset}`,
    metadata: hashOf(facts.metadata),
    properties: hashOf(facts.properties),
    body: facts.bodyHash,
  }
  return Object.keys(stored)
    .filter((field) => JSON.stringify(stored[field]) !== JSON.stringify(source[field]))
    .map((field) => ({ field, stored: stored[field], source: source[field] }))
}

const fieldsOf = (row: StoredRow | Facts): Fields => ({
  number: row.inscriptionNumber,
  height: row.height,
  time: row.inscribedAt.toISOString(),
  cursed: row.cursed,
  parents: row.parentIds,
  fee: row.feeSats,
  delegate: row.delegateId,
  pointer: row.pointer,
  'content type': row.contentType,
  'content encoding': row.contentEncoding,
  'content length': row.contentLength,
  metaprotocol: row.metaprotocol,
  'property encoding': row.propertyEncoding,
  value: row.outputValueSats,
  owner: row.ownerScript && bytesToHex(row.ownerScript),
})

const hashOf = (bytes: Uint8Array | null) => bytes && createHash('sha256').update(bytes).digest('hex')
