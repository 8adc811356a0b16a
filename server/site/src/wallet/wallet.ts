import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type * as operations from '@ordbook/contract/storefront/wallet.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { earliest } from '@ordbook/http/responses/cached-responses.ts'
import { jsonListOf, jsonOf, RawJson, withMembers } from '@ordbook/http/responses/raw-json.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { getOwnBinding } from '@ordbook/market/auth/me.ts'
import type { Context } from '@ordbook/market/context.ts'
import { canonicalCoin } from '@ordbook/market/preflight/echoes.ts'
import { toFault } from '@ordbook/market/preflight/refuse.ts'
import { describeOwn, scriptsOf } from '@ordbook/market/proposals/own.ts'
import { listRowsOf } from '@ordbook/market/proposals/own-queries.ts'
import { usableCoins } from '@ordbook/market/settlements/payment-coins.ts'
import type { PagedUseCase } from '@ordbook/market/use-case.ts'
import { type HoldingPlace, type HoldingRow, listHoldingRows, listMatching } from './holding-queries.ts'

/** Keys of a `HoldingPlace` in a cursor. */
const PLACE = [{ type: 'bigint' }, { type: 'bigint' }, { type: 'bigint' }] as const

/** Inscriptions that a filter reads per row of a page. */
const LOOKED_FOR_EACH = 20

/** Parses an address into its script. Throws `invalid`. */
export const scriptOf = ({ config }: Pick<Context, 'config'>, address: string): Uint8Array =>
  toFault(() => scriptOfAddress(address, config.addressNetwork), 'address')

/** Lists the holdings of an address. Throws `invalid`. */
export const listHoldings: PagedUseCase<typeof operations.listHoldings> = async (
  context,
  cursors,
  { params, query },
) => {
  const { address } = params
  const { reads, responses, clock } = context
  const { limit = 100, cursor } = query
  const slug = query.slug?.toLowerCase() ?? null
  const q = query.q ?? null
  const scope = ['holdings', address, slug, q]
  return responses.read([...scope, limit, cursor], clock, async () => {
    const after: HoldingPlace | null = cursors.decode(scope, cursor, PLACE)
    const isFiltered = slug !== null || q !== null
    const { rows, lookedTo } = await listHoldingRows(reads, {
      script: scriptOf(context, address),
      slug,
      q,
      after,
      rows: limit + 1,
      looked: isFiltered ? limit * LOOKED_FOR_EACH : limit + 1,
      now: clock(),
    })
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1)!.place! : lookedTo
    const pagination = {
      pageSize: page.length,
      hasNext: last !== null,
      nextCursor: last === null ? null : cursors.encode(scope, last),
    }
    // Skip the contract's serializer, which would dominate the cost of a page.
    const holdings = jsonListOf(page.map(renderHolding))
    return {
      body: jsonOf<AnswerOf<typeof operations.listHoldings>>({ holdings, pagination }).toBuffer(),
      tags: ['holdings', 'collections', 'listings', 'offers'],
      validUntil: earliest(...page.map((row) => row.validUntil)),
    }
  })
}

type Holding = AnswerOf<typeof operations.listHoldings>['holdings'][number]

function renderHolding(row: HoldingRow): RawJson<Holding> {
  const members: Omit<Holding, 'traits'> = {
    inscriptionId: row.inscriptionId,
    inscriptionNumber: row.inscriptionNumber,
    contentType: row.contentType,
    name: row.itemName ?? `Inscription ${row.inscriptionNumber}`,
    outpoint: { txid: row.txid, vout: row.vout, valueSats: row.outputValueSats },
    collectionSlug: row.slug,
    collectionName: row.collectionName,
    verificationStatus: row.verificationStatus,
    imageRenderingHint: row.imageRenderingHint,
    collectionFloorSats: row.collectionFloorSats,
    listingId: row.listingId,
    listingState: row.listingState,
    priceSats: row.priceSats,
    topOfferSats: row.topOfferSats,
  }
  const traits = new RawJson<Pick<Holding, 'traits'>>(`{"traits":${row.traits}}`)
  return withMembers(new RawJson<typeof members>(JSON.stringify(members)), traits)
}

/**
 * Lists coins that the session's wallet can pay with: confirmed, not spent in the mempool, without rare contents, and not reserved for a
 * trade.
 */
export async function listCoins(
  context: Context,
  session: Session,
  { walletBindingId }: QueryOf<typeof operations.listCoins>,
): Promise<AnswerOf<typeof operations.listCoins>> {
  const binding = await getOwnBinding(context, session, walletBindingId)
  const { coins, passedOver } = (await usableCoins(context, binding, undefined, { added: 1 })).list()
  const unspent = await context.node.areUnspent(coins)
  const free = coins.filter((_, n) => unspent[n])
  return {
    coins: free.map(canonicalCoin),
    totalSats: free.reduce((sum, coin) => sum + coin.valueSats, 0),
    keptBackCount: passedOver + coins.length - free.length,
    feeRateSatVb: await settlementFeeRate(context),
  }
}

export async function listMatchingProposals(
  context: Context,
  session: Session,
): Promise<AnswerOf<typeof operations.listMatchingProposals>> {
  const ids = await listMatching(context.reads, await scriptsOf(context, session), context.clock())
  const rows = await listRowsOf(context.reads, ids)
  const described = new Map((await describeOwn(context, rows)).map((each) => [each.id, each]))
  return {
    proposals: ids.flatMap((id) => {
      const found = described.get(id)
      if (!found) return []
      const { state: _, available: __, ...proposal } = found
      return [{ ...proposal, visibility: 'public' as const, status: 'active' as const }]
    }),
  }
}
