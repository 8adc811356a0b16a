import type { Operation } from '@ordbook/contract/operation.ts'
import { getStatus } from '@ordbook/contract/record.ts'
import { browseCollections, browseItems, getCollection } from '@ordbook/contract/storefront/collections.ts'
import { getInscription, listCarries } from '@ordbook/contract/storefront/inscriptions.ts'
import { getMarket, listActivity } from '@ordbook/contract/storefront/market.ts'
import { answerOf, type InnerReads, type JsonOf, type Reader, type ReadInput } from '../http/inner-reads.ts'
import type { PageParts } from '../http/page-document.ts'

/** Makes one read for the client of a document, and puts its answer into it. Null where there is no answer. */
type Read = <O extends Operation>(operation: O, input: ReadInput) => Promise<JsonOf<O> | null>

/** A page: its code, and the reads of its first view as its components make them. */
interface View {
  page: string
  read?: (read: Read, part: string, query: string) => Promise<unknown>
}

/** The pictures of the spotlight, and the sales in the rail. */
const FRONT_ITEMS = 8

/** By the path of a page, with `*` for one part. Secondary parts are read by the page, when a visitor comes to them. */
const VIEWS: Readonly<Record<string, View>> = {
  '/': { page: 'home', read: readHome },
  '/collection/*': {
    page: 'collection',
    read: (read, slug, query) =>
      Promise.all([
        read(getCollection, { params: { slug } }),
        // A filtered view is read by the page, which knows its filters.
        query === '' && read(browseItems, { params: { slug }, query: { sort: 'price' } }),
      ]),
  },
  '/inscription/*': { page: 'inscription', read: readInscription },
  '/wallet': { page: 'wallet' },
  '/address/*': { page: 'address' },
  '/trades': { page: 'trades' },
  '/trades/new': { page: 'trade-builder' },
  '/trades/*': { page: 'trade' },
  '/receipt/*': { page: 'receipt' },
  '/activity': { page: 'activity' },
  '/market': { page: 'status' },
  '/how': { page: 'how' },
}

async function readHome(read: Read): Promise<void> {
  const [ranked] = await Promise.all([
    read(browseCollections, { query: { sort: 'volume' } }),
    read(listActivity, { query: { kind: 'sales', limit: FRONT_ITEMS } }),
  ])
  const slug = ranked && answerOf(ranked).collections[0]?.slug
  if (slug) await read(browseItems, { params: { slug }, query: { sort: 'price', limit: FRONT_ITEMS } })
}

async function readInscription(read: Read, id: string): Promise<void> {
  const [found] = await Promise.all([
    read(getInscription, { params: { id } }),
    read(listCarries, { query: { inscriptionIds: id } }),
  ])
  const slug = found && answerOf(found).collections[0]?.slug
  if (slug) await read(getCollection, { params: { slug } })
}

/** The longest wait for the answers of a document, in milliseconds: the page asks itself for those that come later. */
const PATIENCE = 1000

/** Returns what finds the parts of the document at an address, read for one client. */
export const pagePartsFinder =
  (reads: InnerReads, latestEvent: () => Promise<string>) =>
  async (url: string, client: Omit<Reader, 'signal'>): Promise<PageParts> => {
    const [path = '', query = ''] = url.split(/\?(.*)/s)
    const parts = path.split('/').filter((part) => part !== '')
    const part = decoded(parts.at(-1) ?? '')
    const view = VIEWS[`/${parts.join('/')}`] ?? VIEWS[`/${parts.slice(0, -1).join('/')}/*`]
    if (!view || part === null) return { page: null, since: null, answers: [] }
    const reader = { ...client, signal: AbortSignal.timeout(PATIENCE) }
    const answers: [string, string][] = []
    const read: Read = async (operation, input) => {
      const answer = await reads.read(operation, input, reader)
      if (answer !== null) answers.push([JSON.stringify([operation.id, input]), answer])
      return answer
    }
    let since: string | null = null
    const work = async () => {
      // Before the answers: the page gets every event that these lack.
      since = await latestEvent()
      await Promise.all([read(getMarket, {}), read(getStatus, {}), view.read?.(read, part, query)])
    }
    await Promise.race([work().catch(() => {}), aborted(reader.signal)])
    // In one order, so that equal documents are the same text.
    return { page: view.page, since, answers: answers.toSorted() }
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
