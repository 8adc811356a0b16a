import { recordHeights } from '../chain/record-heights.ts'
import { setMadeHeights, unsetMadeHeights } from './queries.ts'

/** Records the block that makes an escrow coin. The index shows when inscriptions leave it: a coin without any is no escrow. */
export const escrowsOnBlock = recordHeights('escrows', setMadeHeights, unsetMadeHeights)
