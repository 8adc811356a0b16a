import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type {
  browseCollections,
  browseItems,
  getCollection,
} from '@ordbook/contract/storefront/collections.ts'
import type { getInscription } from '@ordbook/contract/storefront/inscriptions.ts'
import { essenceOf } from '../thumbnails/kinds.ts'
import type { FirstContent, FirstPicture } from './initial-view.ts'
import { counted, cut, money } from './page-texts.ts'

/** The address of the pictures of inscriptions, and whether thumbnails are rendered here. */
export interface Pictures {
  contentUrl: string
  hasThumbnails: boolean
}

type Hint = 'auto' | 'pixelated' | null
type Items = AnswerOf<typeof browseItems>['items']

/** Pictures of the spotlight, and cards of a collection on the first screen. */
const SPOTLIGHT_PICTURES = 4
const CARDS = 8
/** A heading is no longer; the page shows the rest of the name. */
const MAX_LETTERS = 120

const isPixelated = (type: string, hint: Hint) => hint === 'pixelated' && type !== 'image/svg+xml'

/** The picture of an inscription in a list, at the address at which the page shows it; none where its content is not known. */
function thumbnail(
  { contentUrl, hasThumbnails }: Pictures,
  id: string | null,
  contentType: string | null,
  hint: Hint,
  size: number,
): FirstPicture[] {
  if (id === null || contentType === null) return []
  const type = essenceOf(contentType)
  const path = !hasThumbnails && type.startsWith('image/') ? `content/${id}` : `preview/${id}/${size}`
  return [{ url: `${contentUrl}/${path}`, isPixelated: isPixelated(type, hint) }]
}

const thumbnailsOf = (from: Pictures, items: Items, size: number) =>
  items.flatMap((item) =>
    thumbnail(from, item.inscriptionId, item.rawContentType, item.imageRenderingHint, size),
  )

/** The first page: its heading, and the pictures of the collection that trades most. */
export const contentOfHome = (
  from: Pictures,
  { collections }: AnswerOf<typeof browseCollections>,
  items: Items,
): FirstContent => ({
  view: collections.some(({ oneDayChange }) => oneDayChange) ? 'home-with-movers' : 'home',
  texts: {},
  pictures: { pictures: thumbnailsOf(from, items.slice(0, SPOTLIGHT_PICTURES), 1024) },
})

const percent = (value: number | null) => (value === null ? '–' : `+${Math.abs(value).toFixed(1)}%`)
const price = (sats: number | null) => (sats === null ? '–' : money(sats))

/** A collection: its head, with the room that its figures take, and its first items. */
export const contentOfCollection = (
  from: Pictures,
  row: AnswerOf<typeof getCollection>,
  items: Items,
): FirstContent => {
  const cards = thumbnailsOf(from, items.slice(0, CARDS), 384)
  return {
    view: 'collection',
    texts: {
      name: cut(row.name, MAX_LETTERS),
      // The page has marks there, of one line's height whatever they say.
      marks:
        row.verificationStatus !== 'verified' || row.sellerRoyaltyBps + row.buyerRoyaltyBps > 0 ? '–' : '',
      description: row.description ?? '',
      floor: price(row.floorSats),
      day: percent(row.oneDayChange),
      week: percent(row.sevenDayChange),
      topOffer: price(row.topOfferSats),
      volume: price(row.volumeWeekSats),
      listed: `${row.listedCount} of ${row.itemCount}`,
      owners: counted(row.ownerCount),
    },
    pictures: {
      mark: thumbnail(from, row.previewInscriptionId, row.previewContentType, row.imageRenderingHint, 96),
      // The strip over the head shows the same items.
      banner: cards,
      pictures: cards,
    },
  }
}

/** An inscription: its name, and its content where that is a picture. Content that runs begins with the page. */
export function contentOfInscription(
  { contentUrl }: Pictures,
  { inscriptionId, name, contentType, collections }: AnswerOf<typeof getInscription>,
): FirstContent {
  const [collection] = collections
  const type = essenceOf(contentType)
  const isPicture = type.startsWith('image/') && type !== 'image/svg+xml'
  const picture = {
    url: `${contentUrl}/content/${inscriptionId}`,
    isPixelated: isPixelated(type, collection?.imageRenderingHint ?? null),
  }
  return {
    view: 'inscription',
    texts: { name: cut(name, MAX_LETTERS), collection: cut(collection?.name ?? '', MAX_LETTERS) },
    pictures: { pictures: isPicture ? [picture] : [] },
  }
}

/** The portfolio: its heading. A document does not know whose it is. */
export const CONTENT_OF_WALLET: FirstContent = { view: 'wallet', texts: {}, pictures: {} }
