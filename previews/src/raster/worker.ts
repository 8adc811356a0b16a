import type { Stills } from '../stills.ts'
import { NoStill } from '../stills.ts'
import { decode, restrictReaders, stillsOf } from './encode.ts'
import { pageOfText } from './text.ts'

/** A job of the process that decodes pictures. */
export interface RasterJob {
  /** `picture`: as inscribed, or as the browser painted it. */
  kind: 'picture' | 'text'
  bytes: Uint8Array
}

export type RasterAnswer = { stills: Stills } | { reason: string; isFinal: boolean }

/** The process in which libvips and the type setter read hostile bytes: it has nothing else, and is killed when it takes too much. */
if (process.send) {
  restrictReaders()
  process.on('disconnect', () => process.exit(0))
  process.on('message', async (job: RasterJob) => {
    process.send!(await answerTo(job))
  })
  process.send({ ready: true })
}

async function answerTo({ kind, bytes }: RasterJob): Promise<RasterAnswer> {
  try {
    return { stills: await stillsOf(await (kind === 'text' ? pageOfText(bytes) : decode(bytes))) }
  } catch (error) {
    if (error instanceof NoStill) return { reason: error.message, isFinal: error.isFinal }
    throw error
  }
}
