import { setTimeout } from 'node:timers/promises'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { exitOwnerOf } from '@ordbook/bitcoin/trade/exit.ts'
import { decodeTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { BodyOf } from '@ordbook/contract/operation.ts'
import type { sendExit as operation } from '@ordbook/contract/web.ts'
import { invalid } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { listSpentInMempool } from '@ordbook/indexer/mempool/mempool-queries.ts'
import { getOwnBinding } from '@ordbook/market/auth/me.ts'
import type { Context } from '@ordbook/market/context.ts'
import { toFault } from '@ordbook/market/preflight/refuse.ts'
import { networkRefusal } from '@ordbook/market/settlements/network-refusal.ts'

/** Maximum wait for the index, in milliseconds. */
const MAX_WAIT = 3000

/**
 * Broadcasts an exit, which spends an escrow coin by the exit leaf of the session's address. Throws `invalid` for any other transaction, and
 * conflict if the node rejects it.
 */
export async function sendExit(
  context: Pick<Context, 'sql' | 'config' | 'node'>,
  session: Session,
  { walletBindingId, transaction }: BodyOf<typeof operation>,
): Promise<{ txid: string }> {
  const binding = await getOwnBinding(context, session, walletBindingId)
  const tx = toFault(() => decodeTransaction(transaction), 'transaction')
  const leaves = tx.inputs.some(({ witness }) => {
    const owner = exitOwnerOf(witness)
    return owner !== null && equalBytes(owner, binding.ordinalsScript)
  })
  if (!leaves)
    throw invalid('exit-invalid', 'transaction: does not withdraw an inscription of this wallet from escrow')
  const verdict = await context.node.submitPackage([transaction])
  if (!verdict.ok) throw networkRefusal('this exit', [...verdict.reasons.values()].join('; '))
  await waitUntilIndexed(context, tx.inputs)
  return { txid: txidOf(tx) }
}

/** Waits until the index sees the spends, so that the next read finds the exit. */
async function waitUntilIndexed({ sql }: Pick<Context, 'sql'>, coins: readonly Outpoint[]): Promise<void> {
  for (const deadline = Date.now() + MAX_WAIT; Date.now() < deadline; await setTimeout(100))
    if ((await listSpentInMempool(sql, coins)).length > 0) return
}
