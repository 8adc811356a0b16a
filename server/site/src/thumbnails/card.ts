import { createHash } from 'node:crypto'

/** The lines of a card. Names in them are as their inscribers like: the renderer cuts and draws them as texts. */
export interface CardTexts {
  /** The collection with its mark, or the kind of page. */
  heading: string
  name: string
  /** Before the amount. */
  label: string
  amount: string | null
  note: string | null
  market: string
}

/** A picture of 1200 by 630 pixels for previews of links: a thumbnail and texts. */
export interface Card {
  key: Uint8Array
  /** The path of its page. */
  subject: string
  /** The inscription that its art shows. */
  inscriptionId: string
  contentKey: Uint8Array
  texts: CardTexts
}

/** The form of cards: another number has all of them drawn again. */
const FORMAT = 1
/** A card with its key, which follows from everything that it shows. */
export const cardOf = (shown: Omit<Card, 'key'>): Card => ({
  ...shown,
  key: createHash('sha256')
    .update(
      JSON.stringify([FORMAT, shown.subject, Buffer.from(shown.contentKey).toString('hex'), shown.texts]),
    )
    .digest(),
})

/** The path of a card: its page's path and its key. */
export const cardPath = ({ subject, key }: Card): string =>
  `/card${subject}/${Buffer.from(key).toString('hex')}.jpg`
