import type { CardTexts } from '../market.ts'
import { NoThumbnail, type Thumbnails } from '../thumbnails.ts'
import { cardOf } from './card.ts'
import { decode, restrictReaders, thumbnailsOf } from './encode.ts'
import { pageOfText } from './text.ts'

export interface RasterJob {
  /** `picture`: the inscribed image, or a screenshot of the browser. */
  kind: 'picture' | 'text'
  bytes: Uint8Array
}

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

/** The process in which libvips and Pango read hostile bytes. It has no access to anything else, and is killed above its limits. */
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
