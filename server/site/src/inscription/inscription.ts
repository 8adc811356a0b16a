import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { satRulesOf } from '@ordbook/bitcoin/chain-rules.ts'
import { satributesOf } from '@ordbook/bitcoin/satributes.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getInscription as getOperation } from '@ordbook/contract/storefront/inscriptions.ts'
import type * as operations from '@ordbook/contract/storefront/market.ts'
import { missing } from '@ordbook/db/process/errors.ts'
import { type CursorCodec, paginationOf } from '@ordbook/http/operations/cursor.ts'
import type { Context } from '@ordbook/market/context.ts'
import { areBidsDeclined } from '@ordbook/market/settlements/bid-queries.ts'
import type { PagedUseCase } from '@ordbook/market/use-case.ts'
import {
  findEscrowOwner,
  findFull,
  findLiveListing,
  findMovesFrom,
  findNeighbours,
  listChildren,
  listMemberships,
  listMoves,
  listRelatives,
} from '../items/inscription-queries.ts'
import { scriptOf } from '../wallet/wallet.ts'
import { findLookedAtFrom, listActivityRows } from './activity-queries.ts'

const CHILDREN = 24

/** Returns an inscription with the data of its page. Throws `missing`. */
export async function getInscription(context: Context, id: string): Promise<AnswerOf<typeof getOperation>> {
  const { reads, config, clock } = context
  const now = clock()
  const found = await findFull(reads, id)
  if (!found) throw missing('inscription-unknown', `Inscription ${id} not found`)
  const [memberships, listing, moves, movesFrom, children, parents, escrow, declinesBids] = await Promise.all(
    [
      listMemberships(reads, id, now),
      findLiveListing(reads, id, now),
      listMoves(reads, found.sequence, id),
      findMovesFrom(reads, found.sequence),
      listChildren(reads, id, { offset: 0, rows: CHILDREN }),
      listRelatives(reads, found.parentIds),
      findEscrowOwner(reads, found),
      areBidsDeclined(reads, id),
    ],
  )
  const neighbours = memberships[0] ? await findNeighbours(reads, memberships[0], id) : null
  const addressOf = (script: Uint8Array | null) => script && addressOfScript(script, config.addressNetwork)
  const isInCoin = found.outputValueSats !== null
  return {
    inscriptionId: found.inscriptionId,
    inscriptionNumber: found.inscriptionNumber,
    name: memberships[0]?.itemName ?? `Inscription ${found.inscriptionNumber}`,
    contentType: found.contentType,
    contentBytes: found.contentBytes,
    owner: addressOf(found.ownerScript),
    outpoint: isInCoin ? { txid: found.txid, vout: found.vout, valueSats: found.outputValueSats! } : null,
    escrow:
      isInCoin && escrow ? { owner: addressOf(escrow.sellerScript)!, escrowForm: escrow.escrowForm } : null,
    declinesBids,
    satOffset: isInCoin ? found.satOffset : null,
    sat: found.sat,
    satributes: found.sat === null ? [] : satributesOf(found.sat, satRulesOf(config.chain)),
    cursed: found.cursed,
    genesisHeight: found.height,
    inscribedAt: found.inscribedAt.toISOString(),
    delegateId: found.delegateId,
    metaprotocol: found.metaprotocol,
    parents,
    children: children.map(({ total: _, ...child }) => child),
    childCount: children[0]?.total ?? 0,
    collections: memberships.map(({ collectionId: _, itemName: __, ...each }) => each),
    neighbours,
    listing: listing && {
      ...listing,
      listedAt: listing.listedAt.toISOString(),
      expiresAt: listing.expiresAt?.toISOString() ?? null,
    },
    moves: moves.map(({ at, fromScript, toScript, ...move }) => ({
      ...move,
      at: at.toISOString(),
      fromAddress: addressOf(fromScript),
      toAddress: addressOf(toScript),
    })),
    movesFrom: movesFrom > found.height ? movesFrom : null,
  }
}

/** Lists activity, newest first. Caches the latest sales of the market, which the home page requests. */
export const listActivity: PagedUseCase<typeof operations.listActivity> = async (context, cursors, call) => {
  const { limit = 50, kind, ...filters } = call.query
  const isCommon = kind === 'sales' && Object.values(filters).every((each) => each === undefined)
  if (!isCommon) return readActivity(context, cursors, call)
  return context.responses.read(['latest sales', limit], context.clock, async () => ({
    body: Buffer.from(JSON.stringify(await readActivity(context, cursors, call))),
    tags: ['sales', 'listings', 'collections'],
    validUntil: null,
  }))
}

const readActivity = async (
  context: Context,
  cursors: CursorCodec,
  { query }: Parameters<PagedUseCase<typeof operations.listActivity>>[2],
): Promise<AnswerOf<typeof operations.listActivity>> => {
  const { reads, config } = context
  const { limit = 50, cursor, slug, inscriptionId, address, kind, minSats } = query
  const slugs = query.slugs?.split(',') ?? (slug === undefined ? null : [slug.toLowerCase()])
  const scope = ['activity', slug, query.slugs, inscriptionId, address, kind, minSats]
  const keys = cursors.decode(scope, cursor, [{ type: 'timestamptz' }, { type: 'text' }])
  const after = keys && { at: keys[0], key: keys[1] }
  const isRare = minSats !== undefined || query.slugs !== undefined
  const from = isRare ? await findLookedAtFrom(reads, kind ?? null, after?.at ?? null) : null
  const rows = await listActivityRows(reads, {
    slugs,
    inscriptionId: inscriptionId ?? null,
    script: address === undefined ? null : scriptOf(context, address),
    kind: kind ?? null,
    minSats: minSats ?? null,
    from,
    after,
    rows: limit + 1,
  })
  const page = rows.slice(0, limit)
  const addressOf = (script: Uint8Array | null) => script && addressOfScript(script, config.addressNetwork)
  return {
    activity: page.map((row) => ({
      kind: row.kind,
      at: row.at.toISOString(),
      inscriptionId: row.inscriptionId,
      inscriptionName: row.itemName ?? `Inscription ${row.inscriptionNumber ?? ''}`.trim(),
      contentType: row.contentType,
      collectionSlug: row.slug,
      collectionName: row.collectionName,
      verificationStatus: row.verificationStatus,
      floorSats: row.floorSats,
      rank: row.rank,
      priceSats: row.priceSats,
      wasSats: row.wasSats,
      itemCount: row.itemCount,
      fromAddress: addressOf(row.fromScript),
      toAddress: addressOf(row.toScript),
      txid: row.txid,
      external: row.external,
    })),
    pagination: nextCursor(rows, limit, from, (keys) => cursors.encode(scope, keys)),
  }
}

/** Returns the next cursor: after the last row, or before the searched time range. */
function nextCursor(
  rows: readonly { atText: string; key: string }[],
  limit: number,
  from: string | null,
  encode: (keys: [at: string, key: string]) => string,
) {
  if (rows.length > limit || from === null)
    return paginationOf(rows.length, limit, () => encode([rows[limit - 1]!.atText, rows[limit - 1]!.key]))
  return { pageSize: rows.length, hasNext: true, nextCursor: encode([from, '']) }
}
