import {
  type AddressNetwork,
  addressOfScript,
  scriptOfAddress,
  scriptsFrom,
} from '@ordbook/bitcoin/address.ts'
import { parseInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { satOfText } from '@ordbook/bitcoin/sat-notation.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type { search as operation } from '@ordbook/contract/storefront/search.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import type { Context } from '@ordbook/market/context.ts'
import { findFirstItems, listLookAlikes } from '../collections/collection-queries.ts'
import {
  describeFound,
  findByNumber,
  findCollections,
  findInCoin,
  findItems,
  findOnSat,
  findScripts,
  findTraits,
  MAX_FOUND,
  searchText,
} from './search-queries.ts'

type Found = AnswerOf<typeof operation>

export async function search(
  { reads, config, clock }: Context,
  { q }: QueryOf<typeof operation>,
): Promise<Found> {
  const text = await searchText(reads, q)
  const exact = await findExact(reads, q.trim())
  // An id or outpoint cannot be a name.
  if (exact) return { ...NOTHING, inscriptions: await describeIds(reads, exact, clock()) }
  const [traits, items, collections, addresses] = await Promise.all([
    text === '' ? [] : findTraits(reads, text),
    text === '' ? [] : findInscriptions(reads, q, text),
    text === '' ? [] : findDescribed(reads, text),
    findAddresses(reads, q.trim(), config.addressNetwork),
  ])
  const inscriptions = await describeIds(reads, items, clock())
  return { traits, inscriptions, collections, addresses }
}

const NOTHING: Found = { traits: [], inscriptions: [], collections: [], addresses: [] }

/** Returns the ids for an inscription id, transaction, outpoint or satpoint, or null for any other text. */
async function findExact(reads: Queryable, text: string): Promise<string[] | null> {
  const lower = text.toLowerCase()
  if (parseInscriptionId(lower)) return [lower]
  const place = /^([0-9a-f]{64})(?::(\d{1,10})(?::(\d{1,16}))?)?$/.exec(lower)
  if (!place) return null
  const [, txid, vout, offset] = place
  if (vout === undefined) return [`${txid}i0`]
  return findInCoin(reads, { txid: txid!, vout: Number(vout) }, offset === undefined ? null : Number(offset))
}

/** Finds ids by number, sat and name. A number is tried as all three, a lower-case word also as a sat name. */
async function findInscriptions(reads: Queryable, q: string, text: string): Promise<string[]> {
  const digits = q.replace(/[#,\s_]/g, '')
  const sat = satOfText(digits.toLowerCase())
  const number = /^-?\d{1,16}$/.test(digits) ? Number(digits) : null
  const [byNumber, onSat, byName] = await Promise.all([
    number === null ? [] : findByNumber(reads, number),
    sat === null ? [] : findOnSat(reads, sat),
    findItems(reads, text),
  ])
  return [...new Set([...byNumber.slice(0, 1), ...onSat.slice(0, 1), ...byName, ...onSat])].slice(
    0,
    MAX_FOUND,
  )
}

async function describeIds(
  reads: Queryable,
  ids: readonly string[],
  now: Date,
): Promise<Found['inscriptions']> {
  const rows = await describeFound(reads, ids, now)
  return rows.map(({ itemName, ...row }) => ({
    ...row,
    name: itemName ?? `Inscription ${row.inscriptionNumber}`,
  }))
}

async function findDescribed(reads: Queryable, text: string): Promise<Found['collections']> {
  const rows = await findCollections(reads, text)
  const bare = rows.filter((row) => row.previewInscriptionId === null).map((row) => row.collectionId)
  const ids = rows.map((row) => row.collectionId)
  const [pictures, lookAlikes] = await Promise.all([findFirstItems(reads, bare), listLookAlikes(reads, ids)])
  return rows.map(({ collectionId, ...row }) => ({
    ...row,
    sameNameAs: lookAlikes.get(collectionId) ?? null,
    previewInscriptionId: row.previewInscriptionId ?? pictures.get(collectionId)?.inscriptionId ?? null,
    previewContentType: row.previewContentType ?? pictures.get(collectionId)?.contentType ?? null,
  }))
}

/** Returns an equal address, or known addresses that begin with the text. */
async function findAddresses(reads: Queryable, text: string, network: AddressNetwork): Promise<string[]> {
  const whole = addressFrom(text, network)
  if (whole) return [whole]
  const lower = text.toLowerCase()
  const ranges = scriptsFrom(lower, network)
  const found = await Promise.all(ranges.map(({ from, to }) => findScripts(reads, from, to)))
  return found
    .flat()
    .map((script) => addressOfScript(script, network))
    .filter((address) => address?.startsWith(lower))
    .slice(0, MAX_FOUND) as string[]
}

function addressFrom(text: string, network: AddressNetwork): string | null {
  try {
    return addressOfScript(scriptOfAddress(text, network), network)
  } catch {
    return null
  }
}
