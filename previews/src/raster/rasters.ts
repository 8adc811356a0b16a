import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { getPriority, setPriority } from 'node:os'
import { extname, join } from 'node:path'
import { endWhenIdle } from '../idle.ts'
import { type Limits, type Passed, watchUsage } from '../limits.ts'
import type { CardTexts } from '../market.ts'
import { NoThumbnail, type Thumbnails } from '../thumbnails.ts'
import { usageOf } from '../usage.ts'
import type { CardJob, RasterAnswer, RasterJob } from './worker.ts'

const START_MILLISECONDS = 30_000
/** Added to the renderer's niceness, so that the server has priority. */
const NICENESS = 10
const MAX_NICENESS = 19

/**
 * Runs image and text jobs in a child process, one at a time. Starts it on demand, restarts it when a job exceeds a limit or crashes
 * it, and ends it when idle.
 */
export class Rasters {
  private readonly limits: Limits
  private readonly using: ReturnType<typeof endWhenIdle>
  private child: ChildProcess | null = null

  constructor(limits: Limits, idleMilliseconds: number) {
    this.limits = limits
    this.using = endWhenIdle(idleMilliseconds, () => this.end())
  }

  /** Throws if the process fails to start. */
  async prepare(): Promise<void> {
    await this.using(() => this.running())
  }

  private async running(): Promise<ChildProcess> {
    if (this.child) return this.child
    const child = await start()
    child.once('exit', () => this.forget(child))
    this.child = child
    return child
  }

  private forget(child: ChildProcess): void {
    if (this.child === child) this.child = null
  }

  /** Returns the thumbnails of an image or a text. Throws NoThumbnail. */
  async thumbnailsOf(job: RasterJob): Promise<Thumbnails> {
    const answer = await this.using(() => this.answerTo(job))
    if (!('thumbnails' in answer)) throw new Error('Unexpected reply from the image decoder.')
    return answer.thumbnails
  }

  /** Returns a card as JPEG. Throws NoThumbnail. */
  async cardOf(thumbnail: Uint8Array, texts: CardTexts): Promise<Uint8Array> {
    const answer = await this.using(() => this.answerTo({ kind: 'card', bytes: thumbnail, texts }))
    if (!('card' in answer)) throw new Error('Unexpected reply from the image decoder.')
    return answer.card
  }

  /** Throws NoThumbnail. */
  private async answerTo(job: RasterJob | CardJob): Promise<Exclude<RasterAnswer, { reason: string }>> {
    const child = await this.running()
    let exceeded: Passed | null = null
    const endWatch = watchUsage('the image', () => usageOf([child.pid!]), {
      limits: this.limits,
      end: (limit) => {
        exceeded ??= limit
        child.kill('SIGKILL')
      },
    })
    try {
      const answer = await answerOf(child, job).finally(endWatch)
      if (exceeded) throw new Error('the image exceeded a resource limit just before the decoder finished')
      if (!('reason' in answer)) return answer
      throw new NoThumbnail(answer.reason, answer)
    } catch (error) {
      if (error instanceof NoThumbnail) throw error
      child.kill('SIGKILL')
      this.forget(child)
      throw noThumbnailAfter(exceeded)
    }
  }

  end(): void {
    this.child?.kill('SIGKILL')
    this.child = null
  }
}

const noThumbnailAfter = (passed: Passed | null) =>
  new NoThumbnail(passed?.reason ?? 'the image crashed the decoder', {
    isFinal: passed !== null && !passed.isByClock,
  })

/** Sends a job and waits for the reply. Throws if the job cannot be sent or the process exits first. */
async function answerOf(child: ChildProcess, job: RasterJob | CardJob): Promise<RasterAnswer> {
  const over = new AbortController()
  try {
    const ended = once(child, 'exit', { signal: over.signal }).then(() => {
      throw new Error('the process exited')
    })
    ended.catch(() => {})
    const answered = once(child, 'message', { signal: over.signal })
    const unsent = new Promise<never>((_, reject) => child.send(job, (error) => error && reject(error)))
    const [answer] = (await Promise.race([answered, ended, unsent])) as [RasterAnswer]
    return answer
  } finally {
    over.abort()
  }
}

async function start(): Promise<ChildProcess> {
  // .ts in a checkout, .js in a bundle.
  const child = fork(join(import.meta.dirname, `worker${extname(import.meta.filename)}`), {
    serialization: 'advanced',
    // Do not pass on the environment, which can contain secrets.
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
        throw new Error('The image decoder failed to start. Is sharp installed?')
      }),
    ])
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return child
}
