import { writeSync } from 'node:fs'
import { isMainThread, parentPort } from 'node:worker_threads'

/**
 * Preloaded into a server (`node --import`). After its first progress message the follower thread enters an endless loop (FAIL_HOW: hang)
 * or throws an uncaught error (FAIL_HOW: throw).
 */
if (!isMainThread && parentPort) {
  const port = parentPort
  const { postMessage } = port
  port.postMessage = (...args: Parameters<typeof postMessage>) => {
    postMessage.apply(port, args)
    setImmediate(() => {
      if (process.env.FAIL_HOW === 'throw') throw new Error('thrown by a test')
      // Write to the descriptor, because the blocked thread cannot post messages.
      writeSync(2, 'the thread hangs\n')
      for (;;);
    })
  }
}
