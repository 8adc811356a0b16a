import type { BaseContext } from '@ordbook/db/context.ts'
import type { NodePolicy } from './node/node-policy.ts'
import type { ChainSource } from './node/source.ts'
import type { Ord } from './ord/ord.ts'

/** Context of all code that reads the chain. */
export interface ChainContext extends BaseContext {
  /** The market's Bitcoin node, or another chain source. */
  node: ChainSource
  /** Which trades the node relays. */
  policy: NodePolicy
  /** The ord server, if one is configured. */
  ord: Ord | null
}

/** A context for the work of one client: its node calls are aborted when the client disconnects. */
export function forClient<C extends ChainContext>(context: C, signal: AbortSignal): C {
  return { ...context, node: context.node.within({ signal }) }
}
