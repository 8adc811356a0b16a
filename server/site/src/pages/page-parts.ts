import type { Operation } from '@ordbook/contract/operation.ts'
import { getStatus } from '@ordbook/contract/record.ts'
import { browseCollections, browseItems, getCollection } from '@ordbook/contract/storefront/collections.ts'
import { getInscription, listCarries } from '@ordbook/contract/storefront/inscriptions.ts'
import { getMarket, listActivity } from '@ordbook/contract/storefront/market.ts'
import { getSettlement } from '@ordbook/contract/storefront/settlement.ts'
import { getProposal } from '@ordbook/contract/web.ts'
import { contentUrlOf } from '@ordbook/db/context.ts'
import { Fault } from '@ordbook/db/process/errors.ts'
import {
  answerOf,
  type InnerReads,
  type JsonOf,
  type Reader,
  type ReadInput,
} from '@ordbook/http/operations/internal-requests.ts'
import type { Context } from '@ordbook/market/context.ts'
import {
  CONTENT_OF_WALLET,
  contentOfCollection,
  contentOfHome,
  contentOfInscription,
  type Pictures,
} from './initial-data.ts'
import type { FirstContent } from './initial-view.ts'
import { type PagePictures, picturesOf } from './og-images.ts'
import type { PageHead, PageParts } from './page-document.ts'
import {
  type Described,
  describeAddress,
  describeCollection,
  describeInscription,
  describeSettlement,
  describeTrade,
} from './page-metadata.ts'

/** Runs a read for the client of a document and embeds its response. Null if there is none. */
type Read = <O extends Operation>(operation: O, input: ReadInput) => Promise<JsonOf<O> | null>

/** A page: its code, its title where every visitor sees the same, and the reads of its first view as its components make them. */
interface View {
  page: string
  title: string
  /** Returns the page's metadata and first view, as far as the reads succeed. */
  read?: (read: Read, part: string, query: string, pictures: Pictures) => Promise<Seen>
}

interface Seen {
  described?: Described | null
  first?: FirstContent | null
}

interface Shown extends Seen {
  shown?: PagePictures
}

/** The pictures of the spotlight, and the sales in the rail. */
const FRONT_ITEMS = 8

/** By the path of a page, with `*` for one part. Secondary parts are read by the page, when a visitor comes to them. */
const VIEWS: Readonly<Record<string, View>> = {
  '/': { page: 'home', title: 'ordbook: trade Bitcoin ordinals', read: readHome },
  '/collections': { page: 'collections', title: 'Collections, ordbook' },
  '/collection/*': { page: 'collection', title: 'Collection', read: readCollection },
  '/inscription/*': { page: 'inscription', title: 'Inscription', read: readInscription },
  '/wallet': { page: 'wallet', title: 'Portfolio', read: async () => ({ first: CONTENT_OF_WALLET }) },
  '/address/*': {
    page: 'address',
    title: 'Profile',
    read: async (_read, address) => ({ described: describeAddress(address) }),
  },
  '/trades': { page: 'trades', title: 'Trades' },
  '/trades/new': { page: 'trade-builder', title: 'New trade' },
  '/trades/*': { page: 'trade', title: 'Trade', read: readTrade },
  '/receipt/*': { page: 'receipt', title: 'Receipt', read: readReceipt },
  '/activity': { page: 'activity', title: 'Activity' },
  '/market': { page: 'status', title: 'Market status' },
  '/how': { page: 'how', title: 'How trading works' },
}

async function readHome(read: Read, _part: string, _query: string, pictures: Pictures): Promise<Seen> {
  const [ranked] = await Promise.all([
    read(browseCollections, { query: { sort: 'volume' } }),
    read(listActivity, { query: { kind: 'sales', limit: FRONT_ITEMS } }),
  ])
  if (!ranked) return {}
  const answer = answerOf(ranked)
  const slug = answer.collections[0]?.slug
  if (!slug) return {}
  const items = await read(browseItems, { params: { slug }, query: { sort: 'price', limit: FRONT_ITEMS } })
  return { first: contentOfHome(pictures, answer, items ? answerOf(items).items : []) }
}

async function readCollection(read: Read, slug: string, query: string, pictures: Pictures): Promise<Seen> {
  const [found, items] = await Promise.all([
    read(getCollection, { params: { slug } }),
    // A filtered view is read by the page, which knows its filters.
    query === '' ? read(browseItems, { params: { slug }, query: { sort: 'price' } }) : null,
  ])
  if (!found) return {}
  const collection = answerOf(found)
  const first = contentOfCollection(pictures, collection, items ? answerOf(items).items : [])
  return { described: describeCollection(collection), first }
}

async function readInscription(read: Read, id: string, _query: string, pictures: Pictures): Promise<Seen> {
  const [found] = await Promise.all([
    read(getInscription, { params: { id } }),
    read(listCarries, { query: { inscriptionIds: id } }),
  ])
  if (!found) return {}
  const item = answerOf(found)
  const slug = item.collections[0]?.slug
  if (slug) await read(getCollection, { params: { slug } })
  return { described: describeInscription(item), first: contentOfInscription(pictures, item) }
}

async function readTrade(read: Read, proposalId: string): Promise<Seen> {
  const found = await read(getProposal, { params: { proposalId } })
  return found ? { described: describeTrade(answerOf(found)) } : {}
}

async function readReceipt(read: Read, txid: string): Promise<Seen> {
  const found = await read(getSettlement, { params: { txid } })
  return found ? { described: describeSettlement(answerOf(found)) } : {}
}

/** The longest wait for the answers of a document, in milliseconds: the page asks itself for those that come later. */
const TIMEOUT_MS = 1000

/** Image of links to pages without a specific one: 1200 by 630. */
const MARKET_PICTURE = '/card.png'

/** The sources of the documents of pages, besides their reads. */
type Sources = Pick<Context, 'publicUrl' | 'config' | 'reads' | 'clock'>

/** Returns what finds the parts of the document at an address, read for one client; null for an address without a page. */
export const pagePartsFinder =
  (reads: InnerReads, latestEvent: () => Promise<string>, context: Sources) =>
  (url: string, client: Omit<Reader, 'signal'>): Promise<PageParts> | null => {
    const pictures = {
      contentUrl: contentUrlOf(context),
      hasThumbnails: context.config.previewSocket !== null,
    }
    const [path = '', query = ''] = url.split(/\?(.*)/s)
    const parts = path.split('/').filter((part) => part !== '')
    const part = decoded(parts.at(-1) ?? '')
    const view = VIEWS[`/${parts.join('/')}`] ?? VIEWS[`/${parts.slice(0, -1).join('/')}/*`]
    if (!view || part === null) return null
    const reader = { ...client, signal: AbortSignal.timeout(TIMEOUT_MS) }
    const readView = async (read: Read) => {
      const seen = (await view.read?.(read, part, query, pictures)) ?? {}
      return { ...seen, ...(seen.described ? { shown: await picturesOf(context, seen.described) } : {}) }
    }
    return readParts(reads, latestEvent, reader, view, readView).then(({ described, shown, ...rest }) => ({
      ...rest,
      head: headOf(context.publicUrl, `/${parts.join('/')}`, described, shown),
    }))
  }

/** Reads the initial data of a page, as far as it arrives in time. */
async function readParts(
  reads: InnerReads,
  latestEvent: () => Promise<string>,
  reader: Reader,
  { page, title }: View,
  readView: (read: Read) => Promise<Shown>,
): Promise<Omit<PageParts, 'head'> & { described: Described; shown: PagePictures }> {
  const answers: [string, string][] = []
  let isMissing = false
  const read: Read = async (operation, input) => {
    const answer = await reads.read(operation, input, reader).catch((error: unknown) => {
      if (error instanceof Fault && error.kind === 'missing') isMissing = true
      return null
    })
    if (answer !== null) answers.push([JSON.stringify([operation.id, input]), answer])
    return answer
  }
  let since: string | null = null
  let shown: Shown = {}
  const work = async () => {
    // Before the answers: the page gets every event that these lack.
    since = await latestEvent()
    const [found] = await Promise.all([readView(read), read(getMarket, {}), read(getStatus, {})])
    shown = found
  }
  await Promise.race([work().catch(() => {}), aborted(reader.signal)])
  // In one order, so that equal documents are the same text.
  const { first = null, described = { title } } = shown
  return {
    page,
    first,
    since,
    answers: answers.toSorted(),
    isMissing,
    described: described ?? { title },
    shown: shown.shown ?? { own: null, card: null },
  }
}

function headOf(
  publicUrl: string,
  path: string,
  described: Described,
  { own, card }: PagePictures,
): PageHead {
  const { title, description = null, data, isPrivate = false } = described
  const url = `${publicUrl}${path}`
  const about = { '@context': 'https://schema.org', url, description, ...(own ? { image: own } : {}) }
  return {
    title,
    description,
    url,
    picture: card ?? own ?? `${publicUrl}${MARKET_PICTURE}`,
    isWide: card !== null || own === null,
    isPrivate,
    data: data ? { ...about, ...data } : null,
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
