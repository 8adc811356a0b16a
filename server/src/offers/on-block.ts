import { recordHeights } from '../chain/record-heights.ts'
import { setTransferHeights, unsetTransferHeights } from './queries.ts'

/** Records the transfers of counters in a block. Spent coins end offers in settlements/dependent-orders.ts. */
export const offersOnBlock = recordHeights('offers', setTransferHeights, unsetTransferHeights)
