import { decodeTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import type { MempoolSource } from '../node/source.ts'
import { mapParallel } from '../ord/map-parallel.ts'
import type { Ord } from '../ord/ord.ts'

/** Transactions per request of the node, which reduces it for large ones. */
const BATCH = 250
/** Concurrent requests of `ord`. Each response takes up to 12 MB. */
const PARALLEL = 4

/** Where reveal transactions are read. */
export interface Reveals {
  /** Yields transactions in batches of limited size. Unknown ones are null. */
  read(txids: readonly string[]): AsyncIterable<[string, Tx | null][]>
}

/**
 * Reads reveal transactions from the node in batches. The node has them if it has a transaction index (`txindex=1`), which `ord` requires
 * of its node. Requests what the node lacks from `ord`, one by one; all if `node` is null.
 */
export function revealsOf(
  node: Pick<MempoolSource, 'transactions'> | null,
  ord: Pick<Ord, 'transactionHex'>,
): Reveals {
  const readMissing = async function* (txids: readonly string[]) {
    for (let at = 0; at < txids.length; at += PARALLEL)
      yield await mapParallel(
        txids.slice(at, at + PARALLEL),
        PARALLEL,
        async (txid): Promise<[string, Tx | null]> => [txid, await readFromOrd(ord, txid)],
      )
  }
  return {
    async *read(txids) {
      if (!node) return yield* readMissing(txids)
      for await (const batch of node.transactions(txids, BATCH)) {
        yield batch.filter(([, tx]) => tx)
        yield* readMissing(batch.flatMap(([txid, tx]) => (tx ? [] : [txid])))
      }
    },
  }
}

async function readFromOrd(ord: Pick<Ord, 'transactionHex'>, txid: string): Promise<Tx | null> {
  const hex = await ord.transactionHex(txid)
  try {
    return hex === null ? null : decodeTransaction(hex)
  } catch (cause) {
    throw unavailable('ord-unavailable', `The ord server's transaction ${txid} is malformed.`, cause)
  }
}
