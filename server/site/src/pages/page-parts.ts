import type { Operation } from '@ordbook/contract/operation.ts'
import { getStatus } from '@ordbook/contract/record.ts'
import {
  browseCollections,
  browseItems,
  getCollection,
  listFreshItems,
} from '@ordbook/contract/storefront/collections.ts'
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
  contentOfNewMarket,
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

/** Runs a read for a document's client and embeds the response. Returns null if there is none. */
type Read = <O extends Operation>(operation: O, input: ReadInput) => Promise<JsonOf<O> | null>

/** A page: its script, the reads of its first view, and its title if it is the same for all visitors. */
interface View {
  page: string
  title: string
  /** Title if the subject of the page does not exist. */
  missing?: string
  /** Returns metadata and first view from the reads that succeed. */
  read?: (read: Read, part: string, query: string, pictures: Pictures) => Promise<Seen>
}

interface Seen {
  described?: Described | null
  first?: FirstContent | null
}

interface Shown extends Seen {
  shown?: PagePictures
}

/** Items in the spotlight, and sales in the side rail. */
const FRONT_ITEMS = 8

/** Views by path; `*` matches one segment. The page requests secondary data when a visitor opens it. */
const VIEWS: Readonly<Record<string, View>> = {
  '/': { page: 'home', title: 'ordbook: trade Bitcoin ordinals', read: readHome },
  '/collections': { page: 'collections', title: 'Collections, ordbook' },
  '/collection/*': {
    page: 'collection',
    title: 'Collection',
    missing: 'Collection not found',
    read: readCollection,
  },
  '/inscription/*': {
    page: 'inscription',
    title: 'Inscription',
    missing: 'Inscription not found',
    read: readInscription,
  },
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
  '/inbox': { page: 'inbox', title: 'Notifications' },
  '/how': { page: 'how', title: 'How trading works' },
}

async function readHome(read: Read, _part: string, _query: string, pictures: Pictures): Promise<Seen> {
  const [ranked, sales] = await Promise.all([
    read(browseCollections, { query: { sort: 'volume' } }),
    read(listActivity, { query: { kind: 'sales', limit: FRONT_ITEMS } }),
  ])
  if (!ranked || !sales) return {}
  if (answerOf(sales).activity.length === 0) {
    const newest = await read(listFreshItems, { query: { of: 'inscribed' } })
    const { items } = newest ? answerOf(newest) : { items: [] }
    return items.length > 0 ? { first: contentOfNewMarket(pictures, items) } : {}
  }
  const answer = answerOf(ranked)
  const slug = answer.collections[0]?.slug
  if (!slug) return {}
  const items = await read(browseItems, { params: { slug }, query: { sort: 'price', limit: FRONT_ITEMS } })
  return { first: contentOfHome(pictures, answer, items ? answerOf(items).items : []) }
}

async function readCollection(read: Read, slug: string, query: string, pictures: Pictures): Promise<Seen> {
  const [found, items] = await Promise.all([
    read(getCollection, { params: { slug } }),
    // The page reads a filtered view itself. All tabs show the same banner.
    isWithoutFilter(query) ? read(browseItems, { params: { slug }, query: { sort: 'price' } }) : null,
  ])
  if (!found) return {}
  const collection = answerOf(found)
  const first = contentOfCollection(pictures, collection, items ? answerOf(items).items : [])
  return { described: describeCollection(collection), first }
}

const isWithoutFilter = (query: string) =>
  [...new URLSearchParams(query).keys()].every((name) => name === 'tab' || name === 'kind')

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

/** Timeout for the reads of a document. The page requests missing responses itself. */
const TIMEOUT_MS = 1000

/** Default OG image, 1200 by 630 pixels. */
const MARKET_PICTURE = '/card.png'

type Sources = Pick<Context, 'publicUrl' | 'config' | 'reads' | 'clock'>

/** Returns a function that reads the document parts of a URL for one client. It returns null if the URL has no page. */
export const pagePartsFinder =
  (reads: InnerReads, latestEvent: () => Promise<string>, context: Sources) =>
  (url: string, client: Omit<Reader, 'signal'>): Promise<PageParts> | null => {
    const pictures = {
      contentUrl: contentUrlOf(context),
      hasThumbnails: context.config.previewSocket !== null,
      sellerFeeBps: context.config.sellerFeeBps,
      buyerFeeBps: context.config.buyerFeeBps,
    }
    const [path = '', query = ''] = url.split(/\?(.*)/s)
    const parts = path.split('/').filter((part) => part !== '')
    const part = decoded(parts.at(-1) ?? '')
    const view = VIEWS[`/${parts.join('/')}`] ?? VIEWS[`/${parts.slice(0, -1).join('/')}/*`]
    if (!view || part === null) return null
    const reader = { ...client, signal: AbortSignal.timeout(TIMEOUT_MS) }
    const readView = async (read: Read) => {
      const firstView = (await view.read?.(read, part, query, pictures)) ?? {}
      return {
        ...firstView,
        ...(firstView.described ? { shown: await picturesOf(context, firstView.described) } : {}),
      }
    }
    return readParts(reads, latestEvent, reader, view, readView).then(({ described, shown, ...rest }) => ({
      ...rest,
      head: headOf(context.publicUrl, `/${parts.join('/')}`, described, shown),
    }))
  }

async function readParts(
  reads: InnerReads,
  latestEvent: () => Promise<string>,
  reader: Reader,
  { page, title, missing }: View,
  readView: (read: Read) => Promise<Shown>,
): Promise<Omit<PageParts, 'head'> & { described: Described; shown: PagePictures }> {
  const responses: [string, string][] = []
  let isMissing = false
  const read: Read = async (operation, input) => {
    const response = await reads.read(operation, input, reader).catch((error: unknown) => {
      if (error instanceof Fault && error.kind === 'missing') isMissing = true
      return null
    })
    if (response !== null) responses.push([JSON.stringify([operation.id, input]), response])
    return response
  }
  let since: string | null = null
  let content: Shown = {}
  const work = async () => {
    // Read the event id first, so that the page receives every event that the data lacks.
    since = await latestEvent()
    const [found] = await Promise.all([readView(read), read(getMarket, {}), read(getStatus, {})])
    content = found
  }
  await Promise.race([work().catch(() => {}), aborted(reader.signal)])
  // In a fixed order, so that equal documents are byte-identical.
  const known = { title: isMissing && missing ? missing : title }
  const { first = null, described = known } = content
  return {
    page,
    first,
    since,
    answers: responses.toSorted(),
    isMissing,
    described: described ?? known,
    shown: content.shown ?? { own: null, card: null },
  }
}

function headOf(
  publicUrl: string,
  path: string,
  described: Described,
  { own, card }: PagePictures,
): PageHead {
  const { title, description = null, data, isPrivate = false, feed = null } = described
  const url = `${publicUrl}${path}`
  const about = { '@context': 'https://schema.org', url, description, ...(own ? { image: own } : {}) }
  return {
    title,
    description,
    url,
    picture: card ?? own ?? `${publicUrl}${MARKET_PICTURE}`,
    isWide: card !== null || own === null,
    isPrivate,
    feed,
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
