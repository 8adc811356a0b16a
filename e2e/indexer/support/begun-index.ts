import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { sha256d } from '@ordbook/bitcoin/keys.ts'
import { formatOutpoint, LOST } from '@ordbook/bitcoin/outpoint.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { Adopter } from '@ordbook/indexer/adoption/adopt.ts'
import { beginAtNode, beginAtOrd } from '@ordbook/indexer/adoption/begin.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { startIndexer } from '@ordbook/indexer/serve.ts'
import { freshDatabase, testConfig } from '../../support/market.ts'
import type { TestNode } from '../../support/node.ts'
import {
  type Accepted,
  type Answers,
  answersOf,
  compareAnswers,
  withoutRunes,
} from '../../support/ord/ord-differences.ts'
import { ordInscriptions } from '../../support/ord/ord-inscriptions.ts'
import { answerAt } from '../../support/ord/recursive-paths.ts'
import { type OrdServer, startOrd } from './ord-server.ts'
import type { Branches } from './random-branches.ts'

export interface Index {
  url: string
  sql: Sql
  sync(): Promise<unknown>
  close(): Promise<void>
}

/** Starts an indexer with a new database. `prepare` runs before. */
export async function openIndex(
  node: TestNode,
  ordUrl?: string,
  prepare?: (sql: Sql) => Promise<void>,
  satIndex: Config['satIndex'] = 'auto',
): Promise<Index> {
  const databaseUrl = await freshDatabase()
  const sql = connect(databaseUrl, { max: 2 })
  await prepare?.(sql)
  // One client reads all answers, several at a time.
  const config = testConfig({
    ...(ordUrl ? { ORD_URL: ordUrl } : {}),
    SAT_INDEX: satIndex,
    tuning: { contentMaxPerClient: 1000, contentMaxMegabytesPerClient: 100_000 },
  })
  const indexer = await startIndexer({ ...config, databaseUrl, bitcoinRpcUrl: node.url })
  return {
    url: indexer.url,
    sql,
    sync: () => indexer.sync(),
    async close() {
      await sql.end()
      await indexer.close()
    },
  }
}

async function openBegun(node: TestNode, ord: OrdServer, full: Index): Promise<Index> {
  await ord.sync()
  const source = new CoreSource(node.url)
  const rows = await full.sql<{ inscriptionId: string }[]>`
    select inscription_id from inscription_rows order by sequence`
  const chosen = rows.map((row) => row.inscriptionId).filter((_, n) => n % 2 === 0)
  return openIndex(node, ord.url, async (sql) => {
    await migrate(sql)
    const base = await beginAtOrd(sql, source, new Ord(ord.url))
    const adopter = new Adopter(sql, source, new Ord(ord.url), base, async () => {})
    const adopted = await adopter.adopt(chosen)
    const lacking = chosen.filter((id) => !adopted?.has(id))
    if (lacking.length > 0) throw new Error(`not adopted: ${lacking.join(', ')}`)
  })
}

/** Begins an index at the tip of a real ord, and adopts every second of the inscriptions that `full` has. */
export async function beginIndex(node: TestNode, full: Index): Promise<Index> {
  const ord = await startOrd({ node, regtest: node.regtest } as Parameters<typeof startOrd>[0])
  const index = await openBegun(node, ord, full).catch(async (error: unknown) => {
    await ord.stop()
    throw error
  })
  return {
    ...index,
    async sync() {
      await ord.sync()
      // Each pass completes some of the new inscriptions.
      for (let passes = 0; passes < 50; passes++) {
        await index.sync()
        const [row] = await index.sql<{ waiting: number }[]>`
          select count(*) as waiting from incomplete_inscriptions`
        if (row!.waiting === 0) return
      }
      throw new Error('the index does not complete its inscriptions')
    },
    async close() {
      await index.close()
      await ord.stop()
    },
  }
}

/** Begins an index from a node alone at a height. */
export function beginIndexAtNode(node: TestNode, at: number): Promise<Index> {
  return openIndex(node, undefined, async (sql) => {
    await migrate(sql)
    await beginAtNode(sql, new CoreSource(node.url), { chain: 'regtest', at })
  })
}

/** Returns the position of the first block that was the tip when it arrived, stays in the chain, and has at least a height. */
export function positionFrom(least: number, { blocks, chain }: Branches): number {
  const kept = new Set(chain.map(({ hash }) => hash))
  const heights = new Map([[chain[0]!.hash, 0]])
  let best = 0
  return blocks.findIndex((hex) => {
    const header = hexToBytes(hex.slice(0, 160))
    const hash = bytesToHex(sha256d(header).reverse())
    const height = heights.get(bytesToHex(header.slice(4, 36).reverse()))! + 1
    heights.set(hash, height)
    const isTip = height > best
    best = Math.max(best, height)
    return isTip && kept.has(hash) && height >= least
  })
}

/** Fields of `/inscription` that depend on inscriptions which a begun index does not hold. It does not serve them. */
const OF_OTHERS = ['next', 'previous', 'children', 'child_count']

const isContent = (path: string) => path.includes('content')
const isLost = (body: unknown) => (body as { output?: string } | null)?.output === formatOutpoint(LOST)
const charmsOf = (body: unknown) => (body as { charms: string[] }).charms

/** Differences between an index that has all blocks and one begun at ord that are intended. */
const ACCEPTED: readonly Accepted[] = [
  {
    reason: 'runes from ord',
    adapt: withoutRunes,
  },
  {
    reason: '404 for a lost inscription that the index does not hold, as ord',
    adapt: (path, ours, { status }) =>
      path.startsWith('/r/inscription/') && isLost(ours.body) && status === 404 ? ours : null,
  },
  {
    reason:
      'the charm "lost" of an adopted inscription that was lost after its reveal, as in /inscription of ord',
    adapt: (path, { body }, theirs) => {
      if (!/^\/(r\/)?inscription\//.test(path) || !isLost(theirs.body)) return null
      const charms = charmsOf(theirs.body).filter(
        (charm) => charm !== 'lost' || charmsOf(body).includes(charm),
      )
      return { ...theirs, body: { ...(theirs.body as object), charms } }
    },
  },
  {
    reason: 'the same in a list of parents',
    adapt: (path, { body }, theirs) => {
      if (!/^\/r\/parents\/.*\/inscriptions$/.test(path) || theirs.status !== 200) return null
      const ours = (body as { parents: unknown[] }).parents
      const parents = (theirs.body as { parents: object[] }).parents.map((parent, n) =>
        isLost(parent) ? { ...parent, charms: charmsOf(ours[n]) } : parent,
      )
      return { ...theirs, body: { ...(theirs.body as object), parents } }
    },
  },
  {
    reason: 'the own media type of an inscription that was adopted as a delegate and has a delegate itself',
    adapt: (path, { body }, theirs) => {
      if (!path.startsWith('/inscription/')) return null
      const { effective_content_type: effective, content_type: own } = theirs.body as Record<string, unknown>
      if (effective !== own) return null
      const type = (body as Record<string, unknown>).effective_content_type
      return { ...theirs, body: { ...(theirs.body as object), effective_content_type: type } }
    },
  },
  {
    reason: 'decoded content that the index does not hold, although the client accepts the encoding',
    adapt: (path, ours, theirs) =>
      isContent(path) && ours.encoding && theirs.encoding === null && theirs.status === 200 ? ours : null,
  },
  {
    reason: '406 for content that the index does not hold and that cannot be decoded',
    adapt: (path, ours, theirs) => (isContent(path) && theirs.status === 406 ? ours : null),
  },
  {
    reason: '404 instead of 406 for an encoded inscription without content that the index does not hold',
    adapt: (path, ours, theirs) =>
      isContent(path) && ours.status === 406 && theirs.status === 404 ? ours : null,
  },
]

/** Compares every response of an index begun at ord with an index that has all blocks. */
export async function compareBegun(full: Index, begun: Index) {
  const { paths, answer } = await answersOf(full.url, full.sql)
  const held = new Map<string, object>()
  const rows = await begun.sql<{ inscriptionId: string }[]>`select inscription_id from inscription_rows`
  for (let at = 0; at < rows.length; at += 500)
    for (const each of await ordInscriptions(
      begun.sql,
      rows.slice(at, at + 500).map((row) => row.inscriptionId),
    ))
      held.set(`/inscription/${each.id}`, each)
  const ownFields = (body: object) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => !OF_OTHERS.includes(name)))
  const ours: Answers = async (path) => {
    const found = await answer(path)
    return held.has(path) ? { ...found, body: ownFields(found.body as object) } : found
  }
  const theirs: Answers = async (path) => {
    const inscription = held.get(path)
    return inscription ? { status: 200, body: ownFields(inscription) } : answerAt(begun.url, path)
  }
  // Only an ord has pages of inscriptions.
  const served = paths.filter((path) => !path.startsWith('/inscription') || held.has(path))
  return compareAnswers(served, ours, theirs, ACCEPTED)
}
