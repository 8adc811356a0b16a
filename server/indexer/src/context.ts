import type { BaseContext } from '@ordbook/db/context.ts'
import type { NodePolicy } from './node/node-policy.ts'
import type { ChainSource } from './node/source.ts'
import type { Ord } from './ord/ord.ts'

export interface ChainContext extends BaseContext {
  node: ChainSource
  policy: NodePolicy
  ord: Ord | null
  /** First height of an index begun at the tip of `ord`; null if there are no inscriptions before the index. */
  base: number | null
}

/** Returns a context whose node calls are aborted when the client disconnects. */
export function forClient<C extends ChainContext>(context: C, signal: AbortSignal): C {
  return { ...context, node: context.node.within({ signal }) }
}
