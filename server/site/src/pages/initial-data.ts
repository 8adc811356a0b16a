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

/** Base URL of inscription content, whether this market renders thumbnails, and its fees. */
export interface Pictures {
  contentUrl: string
  hasThumbnails: boolean
  sellerFeeBps: number
  buyerFeeBps: number
}

type Hint = 'auto' | 'pixelated' | null
type Items = AnswerOf<typeof browseItems>['items']

/** Images in the spotlight, and cards on a collection's first screen. */
const SPOTLIGHT_PICTURES = 4
const NEWEST_PICTURES = 10
const CARDS = 8
/** Maximum characters of a heading. The page shows the full name once it is loaded. */
const MAX_LETTERS = 120

const isPixelated = (type: string, hint: Hint) => hint === 'pixelated' && type !== 'image/svg+xml'

/** Returns an inscription's image in a list, or nothing if the content type is unknown. */
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

/** Returns the first view of the home page: heading, and images of the collection with the highest volume. */
export const contentOfHome = (
  from: Pictures,
  { collections }: AnswerOf<typeof browseCollections>,
  items: Items,
): FirstContent => ({
  view: collections.some(({ oneDayChange }) => oneDayChange) ? 'home-with-movers' : 'home',
  texts: {},
  pictures: { pictures: thumbnailsOf(from, items.slice(0, SPOTLIGHT_PICTURES), 1024) },
})

/** Returns the first view of the home page of a market without sales: heading, fees, and images of the newest items. */
export const contentOfNewMarket = (from: Pictures, items: Items): FirstContent => ({
  view: 'new-market',
  texts: { sellerFee: `${from.sellerFeeBps / 100}%`, buyerFee: `${from.buyerFeeBps / 100}%` },
  pictures: { pictures: thumbnailsOf(from, items.slice(0, NEWEST_PICTURES), 384) },
})

/** Figures without data are empty, and the page leaves them out. */
const price = (sats: number | null) => (sats === null ? '' : money(sats))
const share = (part: number, all: number) => `${((100 * part) / Math.max(1, all)).toFixed(1)}%`

/** Returns the first view of a collection: header with placeholder figures, and first items. */
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
      // The page has badges here. Any text reserves one line.
      marks:
        row.verificationStatus !== 'verified' || row.sellerRoyaltyBps + row.buyerRoyaltyBps > 0 ? '–' : '',
      description: row.description ?? '',
      floor: price(row.floorSats),
      floorNote: row.sevenDayChange === null ? '' : `+${Math.abs(row.sevenDayChange).toFixed(1)}% 7 d`,
      topOffer: price(row.topOfferSats),
      topOfferNote: row.floorSats === null ? '' : '−10.0%',
      traitBid: price(row.bestTraitBid?.priceSats ?? null),
      traitBidNote: row.bestTraitBid?.scopeLabel ?? '',
      lastSale: price(row.lastSale?.priceSats ?? null),
      lastSaleNote: '10 min. ago',
      volume: price(row.volumeWeekSats || null),
      listed: counted(row.listedCount),
      listedNote: share(row.listedCount, row.itemCount),
      owners: row.ownerCount > 0 ? counted(row.ownerCount) : '',
      ownersNote: share(row.ownerCount, row.itemCount),
    },
    pictures: {
      mark: thumbnail(from, row.previewInscriptionId, row.previewContentType, row.imageRenderingHint, 96),
      // The banner shows the same items.
      banner: cards,
      pictures: cards,
    },
  }
}

/** Returns the first view of an inscription: its name, and its content if it is an image. */
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

/** First view of the portfolio. Does not depend on the session. */
export const CONTENT_OF_WALLET: FirstContent = { view: 'wallet', texts: {}, pictures: {} }
