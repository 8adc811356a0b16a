import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { bytesOfInscriptionId, parseInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { isNoTxid, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { encode } from 'cborg'
import { placeAdopted } from '../blocks/adopt-coins.ts'
import { type AdoptedRow, insertAdopted, listUnseenItems, setBase } from '../inscriptions/adopt-queries.ts'
import { findTip, insertBlocks, lockIndex } from '../inscriptions/queries.ts'
import type { BlockSource } from '../node/source.ts'
import type { Ord } from '../ord/ord.ts'
import type { OrdAttributes, OrdInscription, OrdOutput, OrdProperties } from '../ord/ord-answers.ts'

/**
 * Starts an index in the middle of a chain. `ord` provides the inscription counters at a block, the base; the follower reads all later
 * blocks itself. Older inscriptions are adopted from `ord` as collections need them: number, sat and location. A response of `ord` is valid
 * for ord's tip, so it is used only if that tip is on our chain and not behind the index: an output that is unspent at ord's tip was not
 * spent by any block up to there.
 */
export async function beginAtOrd(sql: Sql, node: BlockSource, ord: Ord): Promise<number> {
  const status = await ord.numbering()
  const { height } = status
  if (height === null || !status.inscription_index)
    throw new Error('The ord server has no index of inscriptions: start it without --no-index-inscriptions')
  if (status.unrecoverably_reorged)
    throw new Error('The ord server reports an unrecoverable reorg. Reindex it.')
  const hash = await node.blockHash(height)
  if (hash === null || (await ord.blockHash(height)) !== hash)
    throw new Error(
      `The ord server and the node have different blocks at height ${height}: let both catch up`,
    )
  const block = await node.block(hash)
  await inTransaction(sql, async (tx) => {
    await lockIndex(tx)
    if (await findTip(tx)) throw new Error('The index has blocks already: begin on an empty database')
    await insertBlocks(tx, [
      {
        height,
        blockHash: hash,
        minedAt: new Date(block.time * 1000),
        nextSequence: status.inscriptions,
        blessed: status.blessed_inscriptions,
        cursed: status.cursed_inscriptions,
        unbound: 0,
        lostSats: status.lost_sats,
      },
    ])
    await setBase(tx, height)
  })
  return height
}

/** Members written per transaction, to keep transactions short. */
const BATCH_SIZE = 500
/** Members listed per query. */
const LISTED = 10 * BATCH_SIZE
/** Milliseconds before retrying an inscription that ord does not know or failed to return. */
const FORGETS = 600_000

type OnAdopted = (
  tx: Transaction,
  adopted: readonly { inscriptionId: string; sequence: number }[],
) => Promise<void>

/** Data of ord about some inscriptions, and ord's tip before and after the requests. */
interface Answers {
  ids: readonly string[]
  rows: AdoptedRow[]
  before: OrdBlock
  after: OrdBlock
}

interface OrdBlock {
  height: number
  hash: string | null
}

/** Adopts the inscriptions of collections that were inscribed before the index's base. */
export class Adopter {
  private readonly sql: Sql
  private readonly node: BlockSource
  private readonly ord: Ord
  private readonly onAdopted: OnAdopted
  private readonly unknown = new Map<string, number>()
  private readonly base: number
  /** Batch size. Reduced after a failure, so that inscriptions that make ord fail do not block the others. */
  private part = BATCH_SIZE

  /** `base` is the height at which the index began; `onAdopted` runs in the transaction that inserts the rows. */
  constructor(sql: Sql, node: BlockSource, ord: Ord, base: number, onAdopted: OnAdopted) {
    this.base = base
    this.onAdopted = onAdopted
    this.sql = sql
    this.node = node
    this.ord = ord
  }

  /**
   * Adopts members until none is left, `milliseconds` have passed or `until` is aborted; returns true if some are left. Requests the next
   * batch from ord while the current one is written.
   */
  async adoptUnseen(milliseconds: number, until: AbortSignal): Promise<boolean> {
    const end = performance.now() + milliseconds
    for (;;) {
      const now = performance.now()
      for (const [id, at] of this.unknown) if (now - at > FORGETS) this.unknown.delete(id)
      const ids = await listUnseenItems(this.sql, [...this.unknown.keys()], LISTED)
      if (ids.length === 0) return false
      let coming = this.askSome(ids, 0)
      while (coming) {
        const answers = await coming.answers
        const isOver = until.aborted || performance.now() > end
        const { next } = coming
        coming = isOver ? null : this.askSome(ids, next)
        const adopted = await this.write(answers)
        // ord is behind the index, or its tip is on another branch.
        if (!adopted) return false
        for (const id of answers.ids) if (!adopted.has(id)) this.unknown.set(id, now)
        if (isOver) return next < ids.length || ids.length === LISTED
      }
    }
  }

  /** Adopts inscriptions. Returns the ids that ord knows and that are not newer than the base, or null if ord is behind. */
  async adopt(ids: readonly string[]): Promise<Set<string> | null> {
    return this.write(await this.ask(ids))
  }

  /** Requests the next batch of a list; null at its end. */
  private askSome(all: readonly string[], at: number): { answers: Promise<Answers>; next: number } | null {
    if (at >= all.length) return null
    const ids = all.slice(at, at + this.part)
    const answers = this.ask(ids).then(
      (found) => {
        this.part = Math.min(BATCH_SIZE, this.part * 2)
        return found
      },
      (error: unknown) => {
        if (ids.length === 1) this.unknown.set(ids[0]!, performance.now())
        this.part = Math.max(1, ids.length >> 2)
        throw error
      },
    )
    // Avoid an unhandled rejection: the error is thrown when the caller awaits `answers`.
    answers.catch(() => {})
    return { answers, next: at + ids.length }
  }

  private async ask(ids: readonly string[]): Promise<Answers> {
    const { ord } = this
    const before = await this.lastOfOrd()
    const inscriptions = (await ord.inscriptions(ids)).filter((each) => each.height <= this.base)
    const places = inscriptions.map((each) => placeOf(each.satpoint))
    const held = places.filter(({ txid }) => !isNoTxid(txid))
    const outputs = new Map((await ord.outputs(held)).map((output) => [output.outpoint, output]))
    const after = await this.lastOfOrd()
    const rows = inscriptions.flatMap((inscription) => {
      const row = rowOf(inscription, outputs, after.height)
      return row ? [row] : []
    })
    return { ids, rows, before, after }
  }

  private async lastOfOrd(): Promise<OrdBlock> {
    const height = await this.ord.height()
    return { height, hash: await this.ord.blockHash(height) }
  }

  /** Writes a batch and returns its inscription ids; null if ord's data is not valid for the index's tip. */
  private async write({ rows, before, after }: Answers): Promise<Set<string> | null> {
    const { sql, node, ord } = this
    const tip = await findTip(sql)
    if (!tip || tip.height > before.height) return null
    // ord's blocks beyond our tip must be on the node's chain. Checked before the transaction, which must not wait for a peer.
    for (const { height, hash } of [before, after])
      if (hash === null || (await node.blockHash(height)) !== hash) return null
    if ((await ord.blockHash(tip.height)) !== tip.blockHash) return null
    return inTransaction(sql, async (tx) => {
      await lockIndex(tx)
      if ((await findTip(tx))?.blockHash !== tip.blockHash) return null
      await insertAdopted(tx, await placeAdopted(tx, rows))
      await this.onAdopted(tx, rows)
      return new Set(rows.map((row) => row.inscriptionId))
    })
  }
}

function placeOf(satpoint: string): { txid: string; vout: number; satOffset: number } {
  return { ...parseOutpoint(satpoint), satOffset: Number(satpoint.split(':')[2]) }
}

/**
 * Sequence of an adopted inscription: before all that the index numbered itself, by height, then number. `ord` does not return its
 * sequence. In blocks before the jubilee, cursed inscriptions come first here, although they may be mixed on chain.
 */
const sequenceOf = ({ height, number }: OrdInscription) => height * 2 ** 28 + number + 2 ** 27 - 2 ** 52

/** Null while its output is being spent; the next attempt finds the new location. */
function rowOf(
  inscription: OrdInscription,
  outputs: ReadonlyMap<string, OrdOutput>,
  adoptedHeight: number,
): AdoptedRow | null {
  const { satpoint, charms } = inscription
  const place = placeOf(satpoint)
  const output = outputs.get(`${place.txid}:${place.vout}`)
  const nowhere = isNoTxid(place.txid)
  if (!parseInscriptionId(inscription.id) || (!nowhere && !output?.indexed)) return null
  return {
    sequence: sequenceOf(inscription),
    inscriptionId: inscription.id,
    inscriptionNumber: inscription.number,
    height: inscription.height,
    inscribedAt: new Date(inscription.timestamp * 1000),
    cursed: inscription.number < 0,
    vindicated: charms.includes('vindicated'),
    unbound: charms.includes('unbound'),
    reinscription: charms.includes('reinscription'),
    parentIds: inscription.parents,
    feeSats: inscription.fee,
    bornIn: charms.includes('lost') ? 'lost' : charms.includes('burned') ? 'op_return' : null,
    contentType: inscription.effective_content_type ?? inscription.content_type ?? null,
    metaprotocol: inscription.metaprotocol ?? null,
    properties: propertiesOf(inscription.properties),
    sat: inscription.sat,
    ...place,
    outputValueSats: output?.value ?? null,
    ownerScript: output ? hexToBytes(output.script_pubkey) : null,
    adoptedHeight,
  }
}

/** Encodes properties that ord parsed back to CBOR, as they could have been inscribed. */
function propertiesOf(properties: OrdProperties | undefined): Uint8Array | null {
  const gallery = properties?.gallery ?? []
  const attributes = attributesOf(properties?.attributes)
  if (gallery.length === 0 && !attributes) return null
  const items = gallery.map((item) => {
    const own = attributesOf(item.attributes)
    return new Map<number, unknown>([[0, bytesOfInscriptionId(item.id)], ...(own ? [[1, own] as const] : [])])
  })
  return encode(
    new Map<number, unknown>([
      ...(items.length > 0 ? [[0, items] as const] : []),
      ...(attributes ? [[1, attributes] as const] : []),
    ]),
  )
}

function attributesOf(attributes: OrdAttributes | undefined): Map<number, unknown> | null {
  const title = attributes?.title ?? null
  const traits = Object.entries(attributes?.traits ?? {}).map(
    // A number that JavaScript rounded is still an integer to ord.
    ([type, value]) => [type, typeof value === 'number' ? integerOf(value) : value] as const,
  )
  if (title === null && traits.length === 0) return null
  return new Map<number, unknown>([
    ...(title === null ? [] : [[0, title] as const]),
    ...(traits.length === 0 ? [] : [[1, new Map(traits)] as const]),
  ])
}

/** An integer in the 64-bit range of CBOR. */
const integerOf = (value: number): number | bigint =>
  Number.isSafeInteger(value) ? value : BigInt(value) >= 2n ** 63n ? 2n ** 63n - 1n : BigInt(value)
