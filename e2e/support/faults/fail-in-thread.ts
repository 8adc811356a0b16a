import { writeSync } from 'node:fs'
import { isMainThread, parentPort } from 'node:worker_threads'

/**
 * Preloaded into a server (`node --import`). After its first progress message the follower thread loops forever (FAIL_HOW: hang) or throws
 * (FAIL_HOW: throw).
 */
if (!isMainThread && parentPort) {
  const port = parentPort
  const { postMessage } = port
  port.postMessage = (...args: Parameters<typeof postMessage>) => {
    postMessage.apply(port, args)
    setImmediate(() => {
      if (process.env.FAIL_HOW === 'throw') throw new Error('thrown by a test')
      // A blocked thread cannot post messages, so write to the descriptor.
      writeSync(2, 'the thread hangs\n')
      for (;;);
    })
  }
}
