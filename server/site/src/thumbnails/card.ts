import { createHash } from 'node:crypto'

/** The lines of a card. Names are untrusted; the renderer shortens them and draws them as plain text. */
export interface CardTexts {
  /** The collection with its badge, or the kind of page. */
  heading: string
  name: string
  /** The label before the amount. */
  label: string
  amount: string | null
  note: string | null
  market: string
}

/** An OG image of 1200 by 630 pixels: a thumbnail and texts. */
export interface Card {
  key: Uint8Array
  subject: string
  /** The inscription whose thumbnail is shown. */
  inscriptionId: string
  contentKey: Uint8Array
  texts: CardTexts
}

/** Version of the card layout. Changing it redraws all cards. */
const FORMAT = 1
/** Adds the key of a card: a hash of everything that it shows. */
export const cardOf = (shown: Omit<Card, 'key'>): Card => ({
  ...shown,
  key: createHash('sha256')
    .update(
      JSON.stringify([FORMAT, shown.subject, Buffer.from(shown.contentKey).toString('hex'), shown.texts]),
    )
    .digest(),
})

/** Returns the path of a card: the path of its page and its key. */
export const cardPath = ({ subject, key }: Card): string =>
  `/card${subject}/${Buffer.from(key).toString('hex')}.jpg`
