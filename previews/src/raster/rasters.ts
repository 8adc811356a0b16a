import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { getPriority, setPriority } from 'node:os'
import { extname, join } from 'node:path'
import { type Limits, type Passed, watchPiece } from '../limits.ts'
import type { CardTexts } from '../market.ts'
import { NoThumbnail, type Thumbnails } from '../thumbnails.ts'
import { usageOf } from '../usage.ts'
import type { CardJob, RasterAnswer, RasterJob } from './worker.ts'

const START_MILLISECONDS = 30_000
/** Added to the niceness of the renderer: the server goes first on processors that both use. */
const NICENESS = 10
const MAX_NICENESS = 19

/**
 * The process that decodes pictures and sets texts, started when it is needed. It does one job at a time. When a job passes a limit
 * or ends the process, the next job gets a new one.
 */
export class Rasters {
  private readonly limits: Limits
  private child: ChildProcess | null = null

  constructor(limits: Limits) {
    this.limits = limits
  }

  /** Starts the process. Throws where it does not start. */
  async prepare(): Promise<void> {
    this.child ??= await start()
  }

  /** The thumbnails of a picture or a text. Throws NoThumbnail. */
  async thumbnailsOf(job: RasterJob): Promise<Thumbnails> {
    const answer = await this.answerTo(job)
    if (!('thumbnails' in answer)) throw new Error('the process that decodes pictures answers something else')
    return answer.thumbnails
  }

  /** A card as JPEG, from a thumbnail and the lines next to it. Throws NoThumbnail. */
  async cardOf(thumbnail: Uint8Array, texts: CardTexts): Promise<Uint8Array> {
    const answer = await this.answerTo({ kind: 'card', bytes: thumbnail, texts })
    if (!('card' in answer)) throw new Error('the process that decodes pictures answers something else')
    return answer.card
  }

  /** The answer to a job. Throws NoThumbnail. */
  private async answerTo(job: RasterJob | CardJob): Promise<Exclude<RasterAnswer, { reason: string }>> {
    const child = (this.child ??= await start())
    let passed: Passed | null = null
    const endWatch = watchPiece('the picture', () => usageOf([child.pid!]), {
      limits: this.limits,
      end: (limit) => {
        passed ??= limit
        child.kill('SIGKILL')
      },
    })
    try {
      const answer = await answerOf(child, job).finally(endWatch)
      if (passed) throw new Error('the image exceeded a resource limit just before the decoder finished')
      if (!('reason' in answer)) return answer
      throw new NoThumbnail(answer.reason, answer)
    } catch (error) {
      if (error instanceof NoThumbnail) throw error
      this.child = null
      throw noThumbnailAfter(passed)
    }
  }

  end(): void {
    this.child?.kill('SIGKILL')
    this.child = null
  }
}

const noThumbnailAfter = (passed: Passed | null) =>
  new NoThumbnail(passed?.reason ?? 'the picture ended the process that decodes it', {
    isFinal: passed !== null && !passed.isByClock,
  })

/** The answer to a job. Throws where the process ends first. */
async function answerOf(child: ChildProcess, job: RasterJob | CardJob): Promise<RasterAnswer> {
  const over = new AbortController()
  try {
    const ended = once(child, 'exit', { signal: over.signal }).then(() => {
      throw new Error('the process ended')
    })
    ended.catch(() => {})
    const answered = once(child, 'message', { signal: over.signal })
    child.send(job, () => {})
    const [answer] = (await Promise.race([answered, ended])) as [RasterAnswer]
    return answer
  } finally {
    over.abort()
  }
}

async function start(): Promise<ChildProcess> {
  // Its module has the end of this one: .ts in a checkout, .js in a bundle.
  const child = fork(join(import.meta.dirname, `worker${extname(import.meta.filename)}`), {
    serialization: 'advanced',
    // Nothing of the environment is its business.
    env: { PATH: process.env.PATH, FONTCONFIG_PATH: process.env.FONTCONFIG_PATH },
    execArgv: ['--max-old-space-size=300'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('error', () => {})
  if (child.pid) setPriority(child.pid, Math.min(MAX_NICENESS, getPriority() + NICENESS))
  const signal = AbortSignal.timeout(START_MILLISECONDS)
  try {
    await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(() => {
        throw new Error('the process that decodes pictures does not start: is sharp installed?')
      }),
    ])
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return child
}
