import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Steps } from '@ordbook/bitcoin/steps.ts'

/** Runs steps and yields to the event loop between them. Signatures for twenty listings would block it for 100 ms. */
export async function runYielding<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await nextTurn()
  }
}
