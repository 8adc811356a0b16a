import { createHash } from 'node:crypto'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { type Envelope, envelopesOf } from '@ordbook/bitcoin/envelope.ts'
import { parseInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { isNoTxid, type Outpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { Fault, unavailable } from '@ordbook/db/process/errors.ts'
import type { AdoptedRow } from '../inscriptions/adopt-queries.ts'
import type { OrdInscription, OrdOutput } from '../ord/ord-answers.ts'

/** The parts of `ord` that describe inscriptions. A second ordbook has them too (peer.ts). */
export interface FactSource {
  inscriptions(ids: readonly string[]): Promise<OrdInscription[]>
  outputs(
    outpoints: readonly Outpoint[],
  ): Promise<Pick<OrdOutput, 'outpoint' | 'value' | 'script_pubkey' | 'indexed'>[]>
  transactionHex(txid: string): Promise<string | null>
}

export interface Facts extends AdoptedRow {
  charms: string[]
  /** SHA-256 of the body in hex; null without a body. */
  bodyHash: string | null
  /** Content type and length as the source has them. */
  reported: { type: string | null; length: number | null }
}

/** Thrown if inscriptions must be read in smaller batches. */
export class TooLarge extends Fault {
  constructor() {
    super('ord-unavailable', 'The inscriptions are too large to be read together.')
  }
}

/** Concurrent requests of reveal transactions. Each takes up to 12 MB. */
const PARALLEL = 4
/** Maximum metadata and properties of a batch, in bytes. */
const MAX_KEPT_BYTES = 32 * 2 ** 20

/**
 * Fetches everything that is known about inscriptions: numbers, flags, parents and locations as the source has them, the fields of their
 * envelopes from the reveal transactions. Omits unknown inscriptions, and those whose output is being spent: the next attempt finds the
 * new location. Throws `TooLarge` and `unavailable`.
 */
export async function fetchFacts(
  source: FactSource,
  ids: readonly string[],
  { height, firstHeights }: { height: number; firstHeights: number },
): Promise<Facts[]> {
  const inscriptions = (await source.inscriptions(ids)).filter((each) => each.height <= firstHeights)
  const places = inscriptions.map(({ satpoint }) => placeOf(satpoint))
  const outputs = new Map(
    (await source.outputs(places.filter(({ txid }) => !isNoTxid(txid)))).map((each) => [each.outpoint, each]),
  )
  const reveals = await fetchReveals(
    source,
    inscriptions.map(({ id }) => id),
  )
  return inscriptions.flatMap((inscription) => {
    const { txid, vout } = placeOf(inscription.satpoint)
    const output = outputs.get(`${txid}:${vout}`)
    const revealed = reveals.get(inscription.id)
    if (!revealed || (!isNoTxid(txid) && !output?.indexed)) return []
    return [factsOf(inscription, revealed, output, height)]
  })
}

/** Fetches the body of an inscription; null without one. */
export async function fetchBody(
  source: Pick<FactSource, 'transactionHex'>,
  id: string,
): Promise<Uint8Array | null> {
  const { txid, index } = parseInscriptionId(id)!
  return (await readEnvelopes(source, txid))[index]?.body ?? null
}

async function readEnvelopes(source: Pick<FactSource, 'transactionHex'>, txid: string): Promise<Envelope[]> {
  const hex = await source.transactionHex(txid)
  try {
    return hex === null ? [] : envelopesOf(decodeTransaction(hex))
  } catch (cause) {
    throw unavailable('ord-unavailable', `The ord server's transaction ${txid} is malformed.`, cause)
  }
}

type Revealed = Omit<Envelope, 'body'> & { contentLength: number | null; bodyHash: string | null }

async function fetchReveals(source: FactSource, ids: readonly string[]): Promise<Map<string, Revealed>> {
  const wanted = new Map<string, Map<number, string>>()
  for (const id of ids) {
    const { txid, index } = parseInscriptionId(id)!
    wanted.set(txid, (wanted.get(txid) ?? new Map()).set(index, id))
  }
  const found = new Map<string, Revealed>()
  let bytes = 0
  const waiting = [...wanted]
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [txid, idByIndex] = next
      for (const [index, { body, ...envelope }] of (await readEnvelopes(source, txid)).entries()) {
        const id = idByIndex.get(index)
        if (id === undefined) continue
        bytes += (envelope.metadata?.length ?? 0) + (envelope.properties?.length ?? 0)
        if (bytes > MAX_KEPT_BYTES && ids.length > 1) throw new TooLarge()
        const bodyHash = body && createHash('sha256').update(body).digest('hex')
        found.set(id, { ...envelope, contentLength: body?.length ?? null, bodyHash })
      }
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
  return found
}

function placeOf(satpoint: string): { txid: string; vout: number; satOffset: number } {
  return { ...parseOutpoint(satpoint), satOffset: Number(satpoint.split(':')[2]) }
}

/**
 * Returns a sequence below all sequences of the index, ordered by height and number, because `ord` does not return its own. Before the
 * jubilee, cursed inscriptions sort first in their block.
 */
const sequenceOf = ({ height, number }: OrdInscription) =>
  height * 2 ** 28 + (number < 0 ? -number : number + 2 ** 27) - 2 ** 52

function factsOf(
  inscription: OrdInscription,
  envelope: Revealed,
  output: { value: number; script_pubkey: string } | undefined,
  adoptedHeight: number,
): Facts {
  const { charms } = inscription
  return {
    sequence: sequenceOf(inscription),
    inscriptionId: inscription.id,
    inscriptionNumber: inscription.number,
    height: inscription.height,
    inscribedAt: new Date(inscription.timestamp * 1000),
    charms,
    cursed: inscription.number < 0,
    vindicated: charms.includes('vindicated'),
    unbound: charms.includes('unbound'),
    reinscription: charms.includes('reinscription'),
    bornIn: charms.includes('lost') ? 'lost' : charms.includes('burned') ? 'op_return' : null,
    parentIds: inscription.parents,
    feeSats: inscription.fee,
    delegateId: envelope.delegate,
    pointer: envelope.pointer,
    contentType: envelope.contentType,
    contentEncoding: envelope.contentEncoding,
    contentLength: envelope.contentLength,
    bodyHash: envelope.bodyHash,
    reported: { type: inscription.content_type ?? null, length: inscription.content_length ?? null },
    metaprotocol: envelope.metaprotocol,
    metadata: envelope.metadata,
    properties: envelope.properties,
    propertyEncoding: envelope.propertyEncoding,
    sat: inscription.sat,
    ...placeOf(inscription.satpoint),
    outputValueSats: output?.value ?? null,
    ownerScript: output ? hexToBytes(output.script_pubkey) : null,
    adoptedHeight,
  }
}
