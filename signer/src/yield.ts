import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Steps } from '@ordbook/bitcoin/steps.ts'

/** Does the work in turns with the other work of the process: signatures of twenty listings would hold its event loop for 100 ms. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await nextTurn()
  }
}
