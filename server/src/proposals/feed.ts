import type { QueryOf } from '@ordbook/contract/operation.ts'
import type { listTradeProposals as listOperation } from '@ordbook/contract/proposals.ts'
import { findCollection } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../db/connect.ts'
import { type CursorCodec, paginationOf } from '../http/cursor.ts'
import { earliest } from '../http/pages.ts'
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
  const { sql, pages, clock } = context
  const { limit = 50 } = query
  const slug = query.collectionSlug?.toLowerCase() ?? null
  const scope = ['trading', slug]
  const keys = cursors.decode(scope, query.cursor)
  return pages.read([...scope, limit, query.cursor], clock, async () => {
    const filter = slug === null ? null : await findCollection(sql, slug)
    const unknown = slug !== null && !filter
    const feed = unknown
      ? NOTHING
      : await cardsOfFeed(context, {
          after: keys && { createdAt: String(keys[0]), proposalId: String(keys[1]) },
          collectionId: filter?.collectionId ?? null,
          rows: limit + 1,
          now: clock(),
        })
    const [summary] = filter ? await listSummaries(sql, [filter.collectionId]) : []
    const floors = feed.floors ?? {}
    const pagination = {
      ...paginationOf(feed.rowCount, limit, () => cursors.encode(scope, feed.lastKeys)),
      pageSize: limit,
    }
    const filterCollection = JSON.stringify(summary ? describeSummary(summary) : null)
    return {
      body: Buffer.from(
        `{"proposals":[${fillCards(feed.cards ?? '', floors)}],"filterCollection":${filterCollection}` +
          `,"pagination":${JSON.stringify(pagination)}}`,
      ),
      tags: [
        'proposals',
        ...Object.keys(floors).map((id) => `c:${id}`),
        ...(filter ? [`c:${filter.collectionId}`] : []),
        ...(unknown ? ['collections'] : []),
      ],
      validUntil: earliest(feed.expiresAt, feed.floorsUntil),
    }
  })
}

const NOTHING = { cards: null, rowCount: 0, lastKeys: [], expiresAt: null, floors: null, floorsUntil: null }

async function cardsOfFeed({ sql, config }: Context, page: FeedPage) {
  const slice = await sliceFeed(sql, page)
  if (!slice.stale) return { ...slice, lastKeys: [slice.lastCreatedAt!, slice.lastProposalId!] }
  // The rows and their versions first: what is read after them is theirs or newer, and newer moves the version.
  const rows = await listProposalRows(sql, page)
  const shown = await renderProposals(sql, rows.slice(0, page.rows - 1), config.addressNetwork)
  await writeProposalCards(sql, shown)
  const last = rows[page.rows - 2]
  return {
    cards: shown.map((each) => each.card).join(','),
    rowCount: rows.length,
    lastKeys: last ? [last.createdAtText, last.proposalId] : [],
    expiresAt: earliest(...rows.map((row) => row.expiresAt)),
    ...(await findFloors(sql, [...new Set(shown.flatMap((each) => each.collections))], page.now)),
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
    listSummaries(sql, [...new Set([...offered, ...legs].flatMap((each) => each.collectionId ?? []))]),
  ])
  const byId = new Map(summaries.map((row) => [row.id, row]))
  return rows.map((row) => {
    const own = ({ proposalId }: { proposalId: string }) => proposalId === row.proposalId
    const known = { offered: offered.filter(own), legs: legs.filter(own), specific, summaries: byId }
    return { id: row.proposalId, version: row.cardVersion, ...renderProposal(row, known, addressNetwork) }
  })
}
