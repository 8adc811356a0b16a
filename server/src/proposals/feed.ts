import type { QueryOf } from '@ordbook/contract/operation.ts'
import type { listTradeProposals as listOperation } from '@ordbook/contract/proposals.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../db/connect.ts'
import { earliest } from '../derived/page-cache.ts'
import { type CursorCodec, cutCards, joinCards, paginationOf } from '../http/cursor.ts'
import { describeSummary, fillCards, renderProposal } from './card.ts'
import {
  type FeedPage,
  findFloors,
  listLegs,
  listOffered,
  listProposalRows,
  listSpecific,
  listSummaries,
  type ProposalRow,
  sliceFeed,
  writeProposalCards,
} from './queries.ts'

/** A page of the public feed of proposals. Values are estimates by floor; what has no floor counts nothing. */
export async function listProposals(
  context: Context,
  cursors: CursorCodec,
  query: QueryOf<typeof listOperation>,
): Promise<Buffer> {
  const { pages, clock } = context
  const { limit = 50 } = query
  const slug = query.collectionSlug?.toLowerCase() ?? null
  const scope = ['trading', slug]
  const keys = cursors.decode(scope, query.cursor)
  return pages.read([...scope, limit, query.cursor], clock, async () => {
    const page: FeedPage = {
      after: keys && { createdAt: String(keys[0]), proposalId: String(keys[1]) },
      collectionSlug: slug,
      rows: limit + 1,
      now: clock(),
    }
    const [filter] = slug === null ? [] : await listSummaries(context.reads, { slug })
    const slice = await sliceFeed(context.reads, page)
    const found = slice.stale ? await renderFeed(context, page) : slice
    const floors = found.floors ?? {}
    const pagination = {
      ...paginationOf(found.rowCount, limit, () =>
        cursors.encode(scope, [found.lastCreatedAt!, found.lastProposalId!]),
      ),
      pageSize: limit,
    }
    const filterCollection = JSON.stringify(filter ? describeSummary(filter) : null)
    return {
      body: Buffer.from(
        `{"proposals":[${fillCards(cutCards(found, limit), floors)}],"filterCollection":${filterCollection}` +
          `,"pagination":${JSON.stringify(pagination)}}`,
      ),
      tags: [
        'proposals',
        ...new Set([...Object.keys(floors), ...(filter ? [filter.id] : [])].map((id) => `c:${id}`)),
        ...(slug !== null && !filter ? ['collections'] : []),
      ],
      validUntil: earliest(found.expiresAt, found.floorsUntil),
    }
  })
}

/** The same page from what its cards are made of; keeps the cards. */
async function renderFeed({ sql, config }: Context, page: FeedPage) {
  // The rows and their versions first: what is read after them is theirs or newer, and newer moves the version.
  const rows = await listProposalRows(sql, page)
  const cards = await renderProposals(sql, rows, config.addressNetwork)
  await writeProposalCards(sql, cards)
  const last = rows[page.rows - 2]
  return {
    ...joinCards(cards),
    lastCreatedAt: last?.createdAtText,
    lastProposalId: last?.proposalId,
    expiresAt: earliest(...rows.map((row) => row.expiresAt)),
    ...(await findFloors(sql, [...new Set(cards.flatMap((each) => each.collections))], page.now)),
  }
}

/** The cards of proposals, by what they offer and want now. */
export async function renderProposals(
  sql: Sql,
  rows: readonly ProposalRow[],
  addressNetwork: Context['config']['addressNetwork'],
) {
  const ids = rows.map((row) => row.proposalId)
  const [offered, legs] = await Promise.all([listOffered(sql, ids), listLegs(sql, ids)])
  const [specific, summaries] = await Promise.all([
    listSpecific(
      sql,
      legs.flatMap(({ target }) => (target.kind === 'inscriptions' ? target.inscriptionIds : [])),
    ),
    listSummaries(sql, {
      collectionIds: [...new Set([...offered, ...legs].flatMap((each) => each.collectionId ?? []))],
    }),
  ])
  const byId = new Map(summaries.map((row) => [row.id, row]))
  return rows.map((row) => {
    const own = ({ proposalId }: { proposalId: string }) => proposalId === row.proposalId
    const known = { offered: offered.filter(own), legs: legs.filter(own), specific, summaries: byId }
    return { id: row.proposalId, version: row.cardVersion, ...renderProposal(row, known, addressNetwork) }
  })
}
