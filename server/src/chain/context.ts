import type { BaseContext } from '../base-context.ts'
import type { NodePolicy } from './node-policy.ts'
import type { Ord } from './ord.ts'
import type { ChainSource } from './source.ts'

/** What reading the chain takes. */
export interface ChainContext extends BaseContext {
  /** The market's Bitcoin node, or another source of the chain. */
  node: ChainSource
  /** Which trades the node relays. */
  policy: NodePolicy
  /** The ord server, if one is configured. */
  ord: Ord | null
}

/** A context for the work of one client: node calls are aborted when the client disconnects. */
export function forClient<C extends ChainContext>(context: C, signal: AbortSignal): C {
  return { ...context, node: context.node.within({ signal }) }
}
