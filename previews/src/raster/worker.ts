import type { CardTexts } from '../market.ts'
import { NoThumbnail, type Thumbnails } from '../thumbnails.ts'
import { cardOf } from './card.ts'
import { decode, restrictReaders, thumbnailsOf } from './encode.ts'
import { pageOfText } from './text.ts'

export interface RasterJob {
  /** `picture`: the inscribed image or a screenshot. */
  kind: 'picture' | 'text'
  bytes: Uint8Array
}

export interface CardJob {
  kind: 'card'
  bytes: Uint8Array
  texts: CardTexts
}

export type RasterAnswer =
  | { thumbnails: Thumbnails }
  | { card: Uint8Array }
  | { reason: string; isFinal: boolean }

/** Child process in which libvips and Pango read untrusted bytes. It has no other access, and is killed above its limits. */
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
