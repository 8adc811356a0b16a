import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { reclaim } from '@ordbook/sdk/escrows.ts'
import { exitEscrow } from '@ordbook/sdk/exit-escrow.ts'
import { client } from '../client.ts'
import { escrowOf, itemOf, knownOf, refresh, type Trading, trader } from './trading.ts'

/** An inscription in escrow, home with the market, which pays the fee. */
export async function reclaimItem(trading: Trading, inscriptionId: string): Promise<string> {
  const item = await itemOf(inscriptionId)
  if (!item.escrowForm) throw new Error(`${item.name} rests in no escrow`)
  const one = await trader(trading, {
    title: `Take ${item.name} back`,
    outcome:
      'It goes back to your ordinals address, and is for sale no more. The market pays the network fee.',
    known: [knownOf(item)],
  })
  const { txid } = await reclaim(one, [escrowOf(item)])
  await refresh()
  return txid
}

/** An inscription in escrow, home by the owner's own signature: the market is asked to send it and for nothing else. */
export async function leaveEscrow(trading: Trading, inscriptionId: string): Promise<string> {
  const found = await client.call('getInscription', { params: { id: inscriptionId } })
  const { name, outpoint, escrow, satOffset } = found
  if (!outpoint || escrow?.escrowForm !== 'wallet')
    throw new Error(`${name} rests in no escrow that a wallet opens alone`)
  const { walletBindingId } = trading.signed
  const { coins, feeRateSatVb } = await client.call('listCoins', { query: { walletBindingId } })
  const one = await trader(trading, {
    title: `Take ${name} out of escrow`,
    outcome:
      'It goes back to your ordinals address, by your signature alone. You pay the network fee, and it is for sale no more.',
    known: [knownOf({ inscriptionId, name, ...outpoint, offset: satOffset ?? 0 })],
  })
  const { tx } = await exitEscrow(one.wallet, {
    escrows: [{ ...outpoint, form: 'wallet', cosignKey: one.cosignKey! }],
    coins,
    feeRateSatVb,
    leastSats: (satOffset ?? 0) + 1,
  })
  const transaction = hexOfTransaction(tx)
  try {
    const { txid } = await client.call('sendExit', { body: { walletBindingId, transaction } })
    await refresh()
    return txid
  } catch (error) {
    throw new Error(
      `The market did not send it (${(error as Error).message}). It is signed: any node or block explorer takes it. ${transaction}`,
    )
  }
}
