import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { satributesOf } from '@ordbook/bitcoin/satributes.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getInscription as getOperation } from '@ordbook/contract/storefront/inscriptions.ts'
import type * as operations from '@ordbook/contract/storefront/market.ts'
import { satRulesOf } from '../chain/rules.ts'
import type { Context } from '../context.ts'
import { missing } from '../errors.ts'
import { type CursorCodec, paginationOf } from '../http/cursor.ts'
import type { PagedUseCase } from '../http/operations.ts'
import { areBidsDeclined } from '../settlements/bid-queries.ts'
import { listActivityRows } from './activity-queries.ts'
import {
  findEscrowOwner,
  findFull,
  findLiveListing,
  findMovesFrom,
  listChildren,
  listMemberships,
  listMoves,
  listRelatives,
} from './inscription-queries.ts'
import { scriptOf } from './wallet.ts'

const CHILDREN = 24

/** Everything that the page of an inscription shows. Throws missing. */
export async function getInscription(context: Context, id: string): Promise<AnswerOf<typeof getOperation>> {
  const { reads, config, clock } = context
  const now = clock()
  const found = await findFull(reads, id)
  if (!found) throw missing('inscription-unknown', `Inscription ${id} is not known here`)
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
  const addressOf = (script: Uint8Array | null) => script && addressOfScript(script, config.addressNetwork)
  const held = found.outputValueSats !== null
  return {
    inscriptionId: found.inscriptionId,
    inscriptionNumber: found.inscriptionNumber,
    name: memberships[0]?.itemName ?? `Inscription ${found.inscriptionNumber}`,
    contentType: found.contentType,
    contentBytes: found.contentBytes,
    owner: addressOf(found.ownerScript),
    outpoint: held ? { txid: found.txid, vout: found.vout, valueSats: found.outputValueSats! } : null,
    escrow: held && escrow ? { owner: addressOf(escrow.sellerScript)!, escrowForm: escrow.escrowForm } : null,
    declinesBids,
    satOffset: held ? found.satOffset : null,
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

/** Activity, newest first. The latest sales of the whole market, which every first page shows, are kept while they are true. */
export const listActivity: PagedUseCase<typeof operations.listActivity> = async (context, cursors, call) => {
  const { limit = 50, cursor, slug, inscriptionId, address, kind } = call.query
  const isCommon = kind === 'sales' && cursor === undefined && !slug && !inscriptionId && !address
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
  const { limit = 50, cursor, slug, inscriptionId, address, kind } = query
  const scope = ['activity', slug, inscriptionId, address, kind]
  const after = cursors.decode(scope, cursor, [{ type: 'timestamptz' }, { type: 'text' }])
  const rows = await listActivityRows(reads, {
    slug: slug?.toLowerCase() ?? null,
    inscriptionId: inscriptionId ?? null,
    script: address === undefined ? null : scriptOf(context, address),
    kind: kind ?? null,
    after: after && { at: after[0], key: after[1] },
    rows: limit + 1,
  })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
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
    pagination: paginationOf(rows.length, limit, () => cursors.encode(scope, [last!.atText, last!.key])),
  }
}
