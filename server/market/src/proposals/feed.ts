import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { listTradeProposals as listOperation } from '@ordbook/contract/proposals.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { cachedFeed } from '@ordbook/http/responses/cached-feed.ts'
import { earliest } from '@ordbook/http/responses/cached-responses.ts'
import { jsonListOf, jsonOf } from '@ordbook/http/responses/raw-json.ts'
import type { Context } from '../context.ts'
import type { PagedUseCase } from '../use-case.ts'
import {
  findFloors,
  listOffered,
  listProposalRequests,
  listProposalRows,
  listSpecific,
  listSummaries,
  PROPOSAL_ORDER,
  type ProposalRow,
  saveRenderedProposals,
  sliceFeed,
} from './queries.ts'
import { describeSummary, fillHoles, renderProposal } from './rendered-proposal.ts'

/** Returns a page of the public feed of proposals. Values are estimates from floor prices. */
export const listProposals: PagedUseCase<typeof listOperation> = async (context, cursors, { query }) => {
  const { sql, reads, config } = context
  const { limit = 50, cursor } = query
  const slug = query.collectionSlug?.toLowerCase() ?? null
  return cachedFeed(context, cursors, {
    scope: ['trading', slug],
    order: PROPOSAL_ORDER,
    limit,
    cursor,
    slice: (page) => sliceFeed(reads, { collectionSlug: slug, ...page }),
    // Read the versions first: `keep` skips rows that change in between.
    render: async (page, from) =>
      renderProposals(
        from,
        await listProposalRows(from, { collectionSlug: slug, ...page }),
        config.addressNetwork,
      ),
    keep: (rendered) => saveRenderedProposals(sql, rendered),
    beside: (rendered, { now }, from) => findFloors(from, collectionsOf(rendered), now),
    finish: async (rows, pagination, found) => {
      const floors = found.floors ?? {}
      const [filter] = slug === null ? [] : await listSummaries(reads, { slug })
      return {
        json: jsonOf<AnswerOf<typeof listOperation>>({
          proposals: jsonListOf(fillHoles(rows, floors)),
          filterCollection: filter ? describeSummary(filter) : null,
          pagination: { ...pagination, pageSize: limit },
        }),
        tags: [
          'proposals',
          ...new Set([...Object.keys(floors), ...(filter ? [filter.id] : [])].map((id) => `c:${id}`)),
          ...(slug !== null && !filter ? ['collections'] : []),
        ],
        validUntil: earliest(found.expiresAt, found.floorsUntil),
      }
    },
  })
}

export const collectionsOf = (rendered: readonly { collections: readonly string[] }[]) => [
  ...new Set(rendered.flatMap(({ collections }) => collections)),
]

export async function renderProposals(
  sql: Queryable,
  rows: readonly ProposalRow[],
  addressNetwork: Context['config']['addressNetwork'],
) {
  const ids = rows.map((row) => row.proposalId)
  const [offered, requests] = await Promise.all([listOffered(sql, ids), listProposalRequests(sql, ids)])
  const [specific, summaries] = await Promise.all([
    listSpecific(
      sql,
      requests.flatMap(({ target }) => (target.kind === 'inscriptions' ? target.inscriptionIds : [])),
    ),
    listSummaries(sql, {
      collectionIds: [...new Set([...offered, ...requests].flatMap((each) => each.collectionId ?? []))],
    }),
  ])
  const byId = new Map(summaries.map((row) => [row.id, row]))
  return rows.map((row) => {
    const isOfRow = ({ proposalId }: { proposalId: string }) => proposalId === row.proposalId
    const contents = {
      offered: offered.filter(isOfRow),
      requests: requests.filter(isOfRow),
      specific,
      summaries: byId,
    }
    return {
      id: row.proposalId,
      version: row.renderedVersion,
      ...renderProposal(row, contents, addressNetwork),
      expiresAt: row.expiresAt,
      keys: row.keys,
    }
  })
}
