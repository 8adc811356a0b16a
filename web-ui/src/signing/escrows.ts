import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import type { DurationDays } from '@ordbook/contract/durations.ts'
import { moveEscrows, reclaim, relist } from '@ordbook/sdk/escrows.ts'
import { exitEscrow } from '@ordbook/sdk/exit-escrow.ts'
import { client } from '../api/client.ts'
import { errorText } from '../api/error-text.ts'
import { escrow as words } from '../strings/escrow.ts'
import { itemsNamed } from '../strings/items-named.ts'
import type { ShownQuote } from '../ticket/quotes/purchase-quote.ts'
import { coinOf, type Item, itemOf, tradedOf } from './items.ts'
import { listIntent, type ToBeListed } from './listings.ts'
import { paymentOfMove } from './move-payment.ts'
import type { Intent } from './trader.ts'
import { coinsOf, refresh, type Trading, trader } from './trading.ts'
import { showUnsent } from './unsent.tsx'

export const MAX_ESCROWS = 20

/** Inscriptions of an escrow coin, the listed one first. */
interface Escrowed {
  inscriptionIds: readonly string[]
}

interface EscrowCoin {
  item: Item
  all: Item[]
}

async function loadEscrowCoins(escrows: readonly Escrowed[]): Promise<EscrowCoin[]> {
  if (escrows.length > MAX_ESCROWS)
    throw new Error(
      `One transaction withdraws at most ${MAX_ESCROWS} inscriptions from escrow. Choose fewer.`,
    )
  const escrowCoins = await Promise.all(
    escrows.map(async ({ inscriptionIds }) => {
      const all = await Promise.all(inscriptionIds.map(itemOf))
      return { item: all[0]!, all }
    }),
  )
  for (const { item } of escrowCoins) if (!item.escrowForm) throw new Error(`${item.name} is not in escrow.`)
  return escrowCoins
}

const escrowOf = (item: Item) => ({ ...coinOf(item), escrowForm: item.escrowForm! })
const escrowsOf = (escrowCoins: readonly EscrowCoin[]) => escrowCoins.map(({ item }) => escrowOf(item))
const allOf = (escrowCoins: readonly EscrowCoin[]) => escrowCoins.flatMap(({ all }) => all)
const named = (escrowCoins: readonly EscrowCoin[]) => itemsNamed(escrowCoins.map(({ item }) => item))

/** What the review of a transaction shows that moves only the owner's coins. */
const ownIntent = async (
  kind: 'withdraw' | 'move' | 'exit',
  escrowCoins: readonly EscrowCoin[],
  maxNetworkSats: number,
): Promise<Intent> => ({
  agreement: { kind, items: await tradedOf(allOf(escrowCoins), 'stays'), maxNetworkSats },
  quotes: [],
})

/** Lists or reprices inscriptions in escrow. `feeBps`: the fees shown. */
export async function relistItems(
  trading: Trading,
  inputs: readonly (Escrowed & ToBeListed)[],
  days: DurationDays,
  quotes: readonly ShownQuote[],
): Promise<void> {
  const escrowCoins = await loadEscrowCoins(inputs)
  const traded = await tradedOf(
    escrowCoins.map(({ item }) => item),
    'leaves',
  )
  const sdkTrader = await trader(trading, listIntent(traded, inputs, { days, quotes, isInEscrow: true }))
  const agreed = inputs.map(({ priceSats, feeBps }, n) => ({
    inscriptionId: escrowCoins[n]!.item.inscriptionId,
    priceSats,
    escrow: escrowOf(escrowCoins[n]!.item),
    maxFeeBps: feeBps,
  }))
  await relist(sdkTrader, agreed, days)
  await refresh()
}

/** Withdraws inscriptions from escrow together with the market. Returns the txid. */
export async function reclaimItems(trading: Trading, escrows: readonly Escrowed[]): Promise<string> {
  const escrowCoins = await loadEscrowCoins(escrows)
  const sdkTrader = await trader(trading, await ownIntent('withdraw', escrowCoins, 0))
  const { txid } = await reclaim(sdkTrader, escrowsOf(escrowCoins))
  await refresh()
  return txid
}

/** Moves inscriptions to new escrows, which voids earlier prices. Returns the txid. */
export async function moveItems(trading: Trading, escrows: readonly Escrowed[]): Promise<string> {
  const escrowCoins = await loadEscrowCoins(escrows)
  const { walletBindingId } = trading.signed
  const { feeRateSatVb } = await client.call('listCoins', { query: { walletBindingId } })
  const { coins, maxNetworkSats } = paymentOfMove(await coinsOf(trading), escrows.length, feeRateSatVb)
  const sdkTrader = await trader(trading, await ownIntent('move', escrowCoins, maxNetworkSats))
  const { txid } = await moveEscrows(sdkTrader, {
    escrows: escrowsOf(escrowCoins),
    coins,
    maxNetworkSats,
  })
  await refresh()
  return txid
}

/** Withdraws inscriptions from escrow without the market's signature. Returns the txid. */
export async function leaveEscrow(trading: Trading, escrows: readonly Escrowed[]): Promise<string> {
  const escrowCoins = await loadEscrowCoins(escrows)
  for (const { item } of escrowCoins)
    if (item.escrowForm !== 'wallet')
      throw new Error(
        `${item.name} is in an escrow that a wallet cannot exit without the market. Withdraw it instead.`,
      )
  const { walletBindingId } = trading.signed
  const { feeRateSatVb } = await client.call('listCoins', { query: { walletBindingId } })
  const { coins, maxNetworkSats } = paymentOfMove(await coinsOf(trading), escrows.length, feeRateSatVb)
  const sdkTrader = await trader(trading, await ownIntent('exit', escrowCoins, maxNetworkSats))
  const { tx } = await exitEscrow(sdkTrader.wallet, {
    escrows: escrowCoins.map(({ item }) => ({
      ...coinOf(item),
      form: 'wallet',
      cosignKey: sdkTrader.cosignKey!,
    })),
    coins,
    feeRateSatVb,
    maxNetworkSats,
    leastSats: Math.max(...allOf(escrowCoins).map(({ offset }) => offset)) + 1,
  })
  const transaction = hexOfTransaction(tx)
  try {
    const { txid } = await sdkTrader.client.call('sendExit', { body: { walletBindingId, transaction } })
    await refresh()
    return txid
  } catch (error) {
    const { unsentTitle, unsentWhy, file } = words
    showUnsent({ title: unsentTitle(named(escrowCoins)), why: unsentWhy, file, transaction })
    throw new Error(words.unsent(errorText(error)))
  }
}
