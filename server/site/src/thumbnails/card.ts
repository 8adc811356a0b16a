import { createHash } from 'node:crypto'

/** Text of a card. Names are untrusted; the renderer shortens them and draws plain text. */
export interface CardTexts {
  /** Collection with its badge, or kind of page. */
  heading: string
  name: string
  label: string
  amount: string | null
  note: string | null
  market: string
}

/** An OG image of 1200 by 630 pixels: a thumbnail and text. */
export interface Card {
  key: Uint8Array
  subject: string
  inscriptionId: string
  contentKey: Uint8Array
  texts: CardTexts
}

/** Layout version. Changing it redraws all cards. */
const FORMAT = 1
/** Adds the key of a card: a hash of everything it shows. */
export const cardOf = (shown: Omit<Card, 'key'>): Card => ({
  ...shown,
  key: createHash('sha256')
    .update(
      JSON.stringify([FORMAT, shown.subject, Buffer.from(shown.contentKey).toString('hex'), shown.texts]),
    )
    .digest(),
})

/** Returns the path of a card: the path of its page, and its key. */
export const cardPath = ({ subject, key }: Card): string =>
  `/card${subject}/${Buffer.from(key).toString('hex')}.jpg`
