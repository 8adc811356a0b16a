import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { openLog } from '@ordbook/db/process/log.ts'
import type { Following } from '@ordbook/indexer/follow.ts'
import type { MarketFollowOptions } from './follow.ts'
import type { FromThread, ToThread } from './follower-thread.ts'

/**
 * Heap limit. The largest possible block, with 550,000 inscriptions, needs less than 1 GB. From 2 GB on, V8 lets the heap grow to four times
 * the live objects instead of two, which kept 100 MB of garbage.
 */
const HEAP_MEGABYTES = 1536
/** Young generation limit. V8's default of up to 100 MB is not faster. */
const YOUNG_MEGABYTES = 12
/** Time to close before the thread is terminated. PostgreSQL rolls back its transaction. */
const GRACE_MILLISECONDS = 1500

/** Starts the follower in a worker thread. An uncaught error in the thread ends the process. */
export function startFollower(
  options: MarketFollowOptions,
  onProgress?: (height: number, target: number) => void,
): Following {
  const log = openLog(options.config)
  // .ts in a checkout, .js in a bundle.
  const thread = `./follower-thread${extname(import.meta.filename)}`
  const worker = new Worker(new URL(thread, import.meta.url), {
    workerData: options,
    // The pipe of a UTXO dump is opened by `fs` and closed by `net`, so the thread must not close its descriptor again.
    trackUnmanagedFds: false,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  })
  const waiting = new Map<number, PromiseWithResolvers<number>>()
  let last = 0
  let isClosing = false
  const send = (message: ToThread) => worker.postMessage(message)
  worker.on('message', (message: FromThread) => {
    if (message.type === 'progress') {
      onProgress?.(message.height, message.target)
      return
    }
    const waiter = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.type === 'synced') waiter?.resolve(message.height)
    else waiter?.reject(message.error)
  })
  worker.on('error', (error) => {
    // Thrown synchronously, the error would skip the `exit` handler, and callers would wait forever.
    process.nextTick(() => {
      throw error
    })
  })
  const ended = new Promise<void>((done) =>
    worker.once('exit', (code) => {
      for (const { reject } of waiting.values()) reject(new Error('The follower has stopped.'))
      waiting.clear()
      done()
      if (!isClosing) throw new Error(`The follower thread exited unexpectedly with code ${code}.`)
    }),
  )
  return {
    wake: () => send({ type: 'wake' }),
    sync() {
      if (isClosing) return Promise.reject(new Error('The follower has stopped.'))
      const waiter = Promise.withResolvers<number>()
      waiting.set(++last, waiter)
      send({ type: 'sync', id: last })
      return waiter.promise
    },
    async close() {
      isClosing = true
      send({ type: 'close' })
      const timeout = new AbortController()
      const grace = sleep(GRACE_MILLISECONDS, undefined, { signal: timeout.signal }).then(
        () => {
          log.warn('follower did not stop in time, thread terminated')
          return worker.terminate()
        },
        () => {},
      )
      await ended
      timeout.abort()
      await grace
    },
  }
}
