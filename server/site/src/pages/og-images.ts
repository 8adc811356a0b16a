import type { Operation } from '@ordbook/contract/operation.ts'
import { getCollection } from '@ordbook/contract/storefront/collections.ts'
import { getInscription } from '@ordbook/contract/storefront/inscriptions.ts'
import { getSettlement } from '@ordbook/contract/storefront/settlement.ts'
import { contentUrlOf } from '@ordbook/db/context.ts'
import { Fault } from '@ordbook/db/process/errors.ts'
import {
  answerOf,
  type InnerReads,
  type JsonOf,
  type ReadInput,
} from '@ordbook/http/operations/internal-requests.ts'
import type { Context } from '@ordbook/market/context.ts'
import { type Card, cardOf, cardPath } from '../thumbnails/card.ts'
import type { CardFinder } from '../thumbnails/cards.ts'
import { findArt } from '../thumbnails/queries.ts'
import {
  type Described,
  describeCollection,
  describeInscription,
  describeSettlement,
} from './page-metadata.ts'

type Sources = Pick<Context, 'publicUrl' | 'config' | 'reads'>

/** Images of a page: the inscription, as a thumbnail or the original, and the OG image. */
export interface PagePictures {
  own: string | null
  card: string | null
}

/** Media types that link preview clients can show. */
const SHOWN = /^image\/(png|jpeg|gif|webp)\b/

export async function picturesOf(sources: Sources, described: Described): Promise<PagePictures> {
  const { picture } = described
  if (!picture) return { own: null, card: null }
  const { inscriptionId, contentType } = picture
  const at = contentUrlOf(sources)
  const art = await findArt(sources.reads, inscriptionId)
  const card = cardWith(sources, described, art)
  if (art) return { own: `${at}/preview/${inscriptionId}/1024`, card: card && `${at}${cardPath(card)}` }
  return { own: SHOWN.test(contentType ?? '') ? `${at}/content/${inscriptionId}` : null, card: null }
}

/** Returns the OG image for the thumbnail `art`, or null if cards are disabled or the page has none. */
function cardWith(
  { publicUrl, config }: Sources,
  { picture, card }: Described,
  art: Uint8Array | null,
): Card | null {
  if (config.previewSocket === null || !picture || !card || !art) return null
  const texts = { ...card.texts, market: new URL(publicUrl).host }
  return cardOf({ subject: card.subject, inscriptionId: picture.inscriptionId, contentKey: art, texts })
}

type Read = <O extends Operation>(operation: O, input: ReadInput) => Promise<JsonOf<O> | null>

/** Pages with OG images, by first path segment. */
const PAGES: Readonly<Record<string, (read: Read, part: string) => Promise<Described | null>>> = {
  collection: async (read, slug) => {
    const found = await read(getCollection, { params: { slug } })
    return found && describeCollection(answerOf(found))
  },
  inscription: async (read, id) => {
    const found = await read(getInscription, { params: { id } })
    return found && describeInscription(answerOf(found))
  },
  receipt: async (read, txid) => {
    const found = await read(getSettlement, { params: { txid } })
    return found && describeSettlement(answerOf(found))
  },
}

const TIMEOUT_MS = 1000

/** Returns a function that finds the current card of a page. */
export const cardFinder =
  (reads: InnerReads, sources: Sources): CardFinder =>
  async (path, client) => {
    const [, page = '', part = ''] = path.split('/')
    if (!Object.hasOwn(PAGES, page)) return 'unknown'
    const reader = { ...client, signal: AbortSignal.timeout(TIMEOUT_MS) }
    try {
      const described = await PAGES[page]!((operation, input) => reads.read(operation, input, reader), part)
      if (!described?.picture) return null
      return cardWith(sources, described, await findArt(sources.reads, described.picture.inscriptionId))
    } catch (error) {
      if (error instanceof Fault && error.kind === 'missing') return 'unknown'
      throw error
    }
  }
