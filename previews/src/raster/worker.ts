import type { CardTexts } from '../market.ts'
import { NoThumbnail, type Thumbnails } from '../thumbnails.ts'
import { cardOf } from './card.ts'
import { decode, restrictReaders, thumbnailsOf } from './encode.ts'
import { pageOfText } from './text.ts'

/** A piece of which thumbnails are made. */
export interface RasterJob {
  /** `picture`: as inscribed, or as the browser painted it. */
  kind: 'picture' | 'text'
  bytes: Uint8Array
}

/** A card that is composed of a thumbnail. */
export interface CardJob {
  kind: 'card'
  bytes: Uint8Array
  texts: CardTexts
}

/** `card`: a JPEG. */
export type RasterAnswer =
  | { thumbnails: Thumbnails }
  | { card: Uint8Array }
  | { reason: string; isFinal: boolean }

/** The process in which libvips and the type setter read hostile bytes: it has nothing else, and is killed when it takes too much. */
if (process.send) {
  restrictReaders()
  process.on('disconnect', () => process.exit(0))
  process.on('message', async (job: RasterJob | CardJob) => {
    process.send!(await answerTo(job))
  })
  process.send({ ready: true })
}

async function answerTo(job: RasterJob | CardJob): Promise<RasterAnswer> {
  const { kind, bytes } = job
  try {
    if (kind === 'card') return { card: await cardOf(bytes, job.texts) }
    return { thumbnails: await thumbnailsOf(await (kind === 'text' ? pageOfText(bytes) : decode(bytes))) }
  } catch (error) {
    if (error instanceof NoThumbnail) return { reason: error.message, isFinal: error.isFinal }
    throw error
  }
}
