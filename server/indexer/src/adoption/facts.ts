import { createHash } from 'node:crypto'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { type Envelope, envelopesOf } from '@ordbook/bitcoin/envelope.ts'
import { parseInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { isNoTxid, type Outpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { Fault } from '@ordbook/db/process/errors.ts'
import type { AdoptedRow } from '../inscriptions/adopt-queries.ts'
import { mapParallel } from '../ord/map-parallel.ts'
import type { OrdInscription, OrdOutput } from '../ord/ord-answers.ts'
import type { Reveals } from './reveals.ts'

/** The parts of `ord` that describe inscriptions. A second ordbook has them too (peer.ts). */
export interface FactSource {
  /** Returns inscriptions, without unknown ones. If the source leaves out parents, they are requested when a reveal claims some. */
  inscriptions(
    ids: readonly string[],
  ): Promise<(Omit<OrdInscription, 'parents'> & Partial<Pick<OrdInscription, 'parents'>>)[]>
  parents(id: string): Promise<string[]>
  outputs(
    outpoints: readonly Outpoint[],
  ): Promise<Pick<OrdOutput, 'outpoint' | 'value' | 'script_pubkey' | 'indexed'>[]>
}

export interface Facts extends AdoptedRow {
  charms: string[]
  /** SHA-256 of the body in hex; null without a body, or if not requested. */
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

/** Concurrent requests of parents. */
const PARALLEL = 8
/** Maximum metadata and properties of a batch, in bytes. */
const MAX_KEPT_BYTES = 32 * 2 ** 20

interface FactOptions {
  height: number
  /** Omits inscriptions above this height. */
  firstHeights: number
  /** Whether to compute `bodyHash`. */
  hashesBodies?: boolean
}

/**
 * Fetches everything that is known about inscriptions: numbers, flags, parents and locations as the source has them, the fields of their
 * envelopes from the reveal transactions. Omits unknown inscriptions, and those whose output is being spent: the next attempt finds the
 * new location. Throws `TooLarge` and `unavailable`.
 */
export async function fetchFacts(
  source: FactSource,
  reveals: Reveals,
  ids: readonly string[],
  { height, firstHeights, hashesBodies = false }: FactOptions,
): Promise<Facts[]> {
  const inscriptions = (await source.inscriptions(ids)).filter((each) => each.height <= firstHeights)
  const places = inscriptions.map(({ satpoint }) => placeOf(satpoint))
  const [outputs, envelopes] = await Promise.all([
    source.outputs(places.filter(({ txid }) => !isNoTxid(txid))),
    readRevealed(
      reveals,
      inscriptions.map(({ id }) => id),
      hashesBodies,
    ),
  ])
  const outputAt = new Map(outputs.map((each) => [each.outpoint, each]))
  const parents = await mapParallel(inscriptions, PARALLEL, async ({ id, parents }) => {
    const claimed = envelopes.get(id)?.parents.length ?? 0
    if (parents) return claimed > parents.length ? allParents(source, { id, parents }) : parents
    return claimed > 0 ? source.parents(id) : []
  })
  const facts: Facts[] = []
  for (const [n, inscription] of inscriptions.entries()) {
    const { txid, vout } = places[n]!
    const output = outputAt.get(`${txid}:${vout}`)
    const revealed = envelopes.get(inscription.id)
    if (revealed && (isNoTxid(txid) || output?.indexed))
      facts.push(factsOf({ ...inscription, parents: parents[n]! }, places[n]!, revealed, output, height))
  }
  return facts
}

/** `ord` lists at most so many parents of an inscription. */
const LISTED_PARENTS = 4

/** Returns all parents of an inscription, of which `ord` lists the first. */
export async function allParents(
  source: Pick<FactSource, 'parents'>,
  { id, parents }: Pick<OrdInscription, 'id' | 'parents'>,
): Promise<string[]> {
  return parents.length < LISTED_PARENTS ? parents : source.parents(id)
}

/** Fetches the body of an inscription; null without one. */
export async function fetchBody(reveals: Reveals, id: string): Promise<Uint8Array | null> {
  const { txid, index } = parseInscriptionId(id)!
  for await (const batch of reveals.read([txid]))
    for (const [, tx] of batch) if (tx) return envelopesOf(tx)[index]?.body ?? null
  return null
}

type Revealed = Omit<Envelope, 'body'> & { contentLength: number | null; bodyHash: string | null }

async function readRevealed(
  reveals: Reveals,
  ids: readonly string[],
  hashesBodies: boolean,
): Promise<Map<string, Revealed>> {
  const wanted = new Map<string, Map<number, string>>()
  for (const id of ids) {
    const { txid, index } = parseInscriptionId(id)!
    wanted.set(txid, (wanted.get(txid) ?? new Map()).set(index, id))
  }
  const found = new Map<string, Revealed>()
  let bytes = 0
  for await (const batch of reveals.read([...wanted.keys()]))
    for (const [txid, tx] of batch)
      for (const [index, { body, ...envelope }] of (tx ? envelopesOf(tx) : []).entries()) {
        const id = wanted.get(txid)!.get(index)
        if (id === undefined) continue
        bytes += (envelope.metadata?.length ?? 0) + (envelope.properties?.length ?? 0)
        if (bytes > MAX_KEPT_BYTES && ids.length > 1) throw new TooLarge()
        const bodyHash = hashesBodies && body ? createHash('sha256').update(body).digest('hex') : null
        found.set(id, { ...envelope, contentLength: body?.length ?? null, bodyHash })
      }
  return found
}

function placeOf(satpoint: string): { txid: string; vout: number; satOffset: number } {
  return { ...parseOutpoint(satpoint), satOffset: Number(satpoint.split(':')[2]) }
}

/**
 * Returns a sequence below all sequences of the index, ordered by height and number, because `ord` does not return its own. Before the
 * jubilee, cursed inscriptions sort first in their block.
 */
const sequenceOf = ({ height, number }: Pick<OrdInscription, 'height' | 'number'>) =>
  height * 2 ** 28 + (number < 0 ? -number : number + 2 ** 27) - 2 ** 52

function factsOf(
  inscription: OrdInscription,
  place: ReturnType<typeof placeOf>,
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
    ...place,
    outputValueSats: output?.value ?? null,
    ownerScript: output ? hexToBytes(output.script_pubkey) : null,
    adoptedHeight,
  }
}
