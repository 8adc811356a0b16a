import { setTimeout } from 'node:timers/promises'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { isRunestone } from '@ordbook/bitcoin/runestone.ts'
import { exitOwnerOf } from '@ordbook/bitcoin/trade/exit.ts'
import { decodeTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { BodyOf } from '@ordbook/contract/operation.ts'
import type { sendExit as operation, sendSplit as splitOperation } from '@ordbook/contract/web.ts'
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
  return broadcast(context, { tx, transaction, name: 'this exit' })
}

/**
 * Broadcasts a transaction that pays only addresses of the session, such as the split of a coin. Throws `invalid` for any other transaction,
 * and conflict if the node rejects it.
 */
export async function sendSplit(
  context: Pick<Context, 'sql' | 'config' | 'node'>,
  session: Session,
  { walletBindingId, transaction }: BodyOf<typeof splitOperation>,
): Promise<{ txid: string }> {
  const { ordinalsScript, paymentScript } = await getOwnBinding(context, session, walletBindingId)
  const tx = toFault(() => decodeTransaction(transaction), 'transaction')
  const isOwn = tx.outputs.every(
    ({ script, valueSats }) =>
      equalBytes(script, ordinalsScript) ||
      equalBytes(script, paymentScript) ||
      (valueSats === 0 && isRunestone(script)),
  )
  if (!isOwn) throw invalid('split-invalid', 'transaction: an output pays another address')
  return broadcast(context, { tx, transaction, name: 'this split' })
}

async function broadcast(
  { sql, node }: Pick<Context, 'sql' | 'node'>,
  { tx, transaction, name }: { tx: Tx; transaction: string; name: string },
): Promise<{ txid: string }> {
  const verdict = await node.submitPackage([transaction])
  if (!verdict.ok) throw networkRefusal(name, [...verdict.reasons.values()].join('; '))
  await waitUntilIndexed({ sql }, tx.inputs)
  return { txid: txidOf(tx) }
}

/** Waits until the index sees the spends, so that the next read finds them. */
async function waitUntilIndexed({ sql }: Pick<Context, 'sql'>, coins: readonly Outpoint[]): Promise<void> {
  for (const deadline = Date.now() + MAX_WAIT; Date.now() < deadline; await setTimeout(100))
    if ((await listSpentInMempool(sql, coins)).length > 0) return
}
