import { writeSync } from 'node:fs'
import { isMainThread, parentPort } from 'node:worker_threads'

/**
 * Preloaded into a server (`node --import`): after its first progress the follower's thread never gives its processor back, as
 * an endless loop over a block would (FAIL_HOW: hang), or throws where nothing catches it (FAIL_HOW: throw).
 */
if (!isMainThread && parentPort) {
  const port = parentPort
  const { postMessage } = port
  port.postMessage = (...args: Parameters<typeof postMessage>) => {
    postMessage.apply(port, args)
    setImmediate(() => {
      if (process.env.FAIL_HOW === 'throw') throw new Error('thrown by a test')
      // Said by the thread itself, since its messages go no further now.
      writeSync(2, 'the thread hangs\n')
      for (;;);
    })
  }
}
