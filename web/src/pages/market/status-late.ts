import type { Answer } from '@ordbook/sdk/operations.ts'
import { marketStatus as words } from './strings.ts'

type Status = Answer<'getStatus'>

/** Maximum age of the last mempool poll, in seconds. */
const MEMPOOL_SECONDS = 60

/** Describes delays and outages, most urgent first. */
export function lateOf(now: Status): string[] {
  const {
    node,
    database,
    ord,
    indexFault,
    lagBlocks,
    mempoolAgeSeconds,
    ordHeight,
    indexHeight,
    nodeHeight,
  } = now
  const late: string[] = []
  if (database !== 'ok') late.push(words.noAnswer(words.parts.database, now.databaseAgeSeconds))
  if (node !== 'ok') late.push(words.noAnswer(words.parts.node, now.nodeAgeSeconds))
  // The fault of an indexed block is that the node left its branch.
  if (indexFault)
    late.push(
      indexHeight !== null && indexFault.height <= indexHeight
        ? words.left(indexFault.reason)
        : words.fault(indexFault.height, indexFault.reason),
    )
  if (nodeHeight !== null && indexHeight !== null && nodeHeight < indexHeight)
    late.push(words.nodeBehind(indexHeight - nodeHeight))
  if (lagBlocks) late.push(words.behindNode(lagBlocks))
  if (database === 'ok' && mempoolAgeSeconds === null) late.push(words.mempoolUnread)
  if (mempoolAgeSeconds !== null && mempoolAgeSeconds > MEMPOOL_SECONDS)
    late.push(words.mempoolRead(mempoolAgeSeconds))
  if (ord !== null && ord !== 'ok') late.push(words.noAnswer(words.parts.ord, null))
  if (ordHeight !== null && indexHeight !== null && ordHeight < indexHeight)
    late.push(words.behindIndex(indexHeight - ordHeight))
  if (now.utxos?.reason) late.push(words.utxosFailed(now.utxos.reason))
  else if (now.utxos?.state === 'loading') late.push(words.utxosLoading)
  for (const { trade, reason } of now.notTraded) late.push(words.untraded(trade, reason))
  return late
}

export const stateOf = ({ trading, reason }: Pick<Status, 'trading' | 'reason'>, isLate: boolean): string =>
  trading === 'paused' ? words.paused(reason ?? '') : isLate ? words.openLate : words.open
