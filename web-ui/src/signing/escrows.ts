import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import type { DurationDays } from '@ordbook/contract/durations.ts'
import { moveEscrows, reclaim, relist } from '@ordbook/sdk/escrows.ts'
import { exitEscrow } from '@ordbook/sdk/exit-escrow.ts'
import { client } from '../api/client.ts'
import { errorText } from '../api/error-text.ts'
import { money } from '../format/format.ts'
import { escrow as words } from '../strings/escrow.ts'
import { itemsNamed } from '../strings/items-named.ts'
import { coinOf, type Item, itemOf, knownOf } from './items.ts'
import { paymentOfMove } from './move-payment.ts'
import { coinsOf, refresh, type Trading, trader } from './trading.ts'
import { showUnsent } from './unsent-exit.tsx'

/** Most escrow coins per operation. */
export const MAX_ESCROWS = 20

/** The inscriptions of one escrow coin; the first is the one that was listed. */
interface Escrowed {
  inscriptionIds: readonly string[]
}

/** An escrow coin: its first inscription, and all of them. */
interface Rested {
  item: Item
  all: Item[]
}

async function restedOf(escrows: readonly Escrowed[]): Promise<Rested[]> {
  if (escrows.length > MAX_ESCROWS)
    throw new Error(`One transaction takes at most ${MAX_ESCROWS} inscriptions out of escrow: choose fewer`)
  const rested = await Promise.all(
    escrows.map(async ({ inscriptionIds }) => {
      const all = await Promise.all(inscriptionIds.map(itemOf))
      return { item: all[0]!, all }
    }),
  )
  for (const { item } of rested) if (!item.escrowForm) throw new Error(`${item.name} is in no escrow`)
  return rested
}

const escrowOf = (item: Item) => ({ ...coinOf(item), escrowForm: item.escrowForm! })
const escrowsOf = (rested: readonly Rested[]) => rested.map(({ item }) => escrowOf(item))
const allOf = (rested: readonly Rested[]) => rested.flatMap(({ all }) => all)
const named = (rested: readonly Rested[]) => itemsNamed(rested.map(({ item }) => item))
const said = (rested: readonly Rested[], one: string, several: string) =>
  rested.length === 1 ? one : several

/** Lists inscriptions in escrow, or changes their prices, without a transaction. `feeBps`: the fees that the page showed. */
export async function relistItems(
  trading: Trading,
  wishes: readonly (Escrowed & { priceSats: number; feeBps: number })[],
  days: DurationDays,
): Promise<void> {
  const rested = await restedOf(wishes)
  const total = wishes.reduce((sum, each) => sum + each.priceSats, 0)
  const one = await trader(trading, {
    title: `List ${named(rested)}`,
    outcome: `${said(rested, 'It is', 'They are')} for sale for ${money(total)}${said(rested, '', ' together')}, straight from escrow. The market signs no price that you set before.`,
    known: await knownOf(allOf(rested), 'leaves'),
  })
  const agreed = wishes.map(({ priceSats, feeBps }, n) => ({
    inscriptionId: rested[n]!.item.inscriptionId,
    priceSats,
    escrow: escrowOf(rested[n]!.item),
    maxFeeBps: feeBps,
  }))
  await relist(one, agreed, days)
  await refresh()
}

/** Reclaims inscriptions from escrow with the market, which pays the network fee. Returns the txid. */
export async function reclaimItems(trading: Trading, escrows: readonly Escrowed[]): Promise<string> {
  const rested = await restedOf(escrows)
  const one = await trader(trading, {
    title: `Take ${named(rested)} back`,
    outcome: `${said(rested, 'It goes', 'They go')} back to your ordinals address, no longer for sale. The market pays the network fee.`,
    known: await knownOf(allOf(rested), 'stays'),
    settles: true,
  })
  const { txid } = await reclaim(one, escrowsOf(rested))
  await refresh()
  return txid
}

/** Moves inscriptions to new escrows at the owner's cost, which voids all prices signed before. Returns the txid. */
export async function moveItems(trading: Trading, escrows: readonly Escrowed[]): Promise<string> {
  const rested = await restedOf(escrows)
  const { walletBindingId } = trading.signed
  const { feeRateSatVb } = await client.call('listCoins', { query: { walletBindingId } })
  const { coins, maxNetworkSats } = paymentOfMove(await coinsOf(trading), escrows.length, feeRateSatVb)
  const one = await trader(trading, {
    title: `Move ${named(rested)} to a new escrow`,
    outcome: `Once a block has this transaction, no price that you signed before is valid, even for a thief of the market’s key. You pay the network fee, at most ${money(maxNetworkSats)}. ${said(rested, 'Its listing ends, and you can list it', 'Their listings end, and you can list them')} again from that block on.`,
    known: await knownOf(allOf(rested), 'stays'),
    settles: true,
  })
  const { txid } = await moveEscrows(one, {
    escrows: escrowsOf(rested),
    coins,
    maxNetworkSats,
  })
  await refresh()
  return txid
}

/** Takes inscriptions out of escrow with the owner's signature only; the market just broadcasts the transaction. Returns the txid. */
export async function leaveEscrow(trading: Trading, escrows: readonly Escrowed[]): Promise<string> {
  const rested = await restedOf(escrows)
  for (const { item } of rested)
    if (item.escrowForm !== 'wallet')
      throw new Error(`${item.name} is in an escrow that no wallet can leave without the market`)
  const { walletBindingId } = trading.signed
  const { feeRateSatVb } = await client.call('listCoins', { query: { walletBindingId } })
  const { coins, maxNetworkSats } = paymentOfMove(await coinsOf(trading), escrows.length, feeRateSatVb)
  const one = await trader(trading, {
    title: `Take ${named(rested)} out of escrow`,
    outcome: `${said(rested, 'It goes', 'They go')} back to your ordinals address, by your signature alone. You pay the network fee, at most ${money(maxNetworkSats)}, and ${said(rested, 'it is', 'they are')} no longer for sale.`,
    known: await knownOf(allOf(rested), 'stays'),
    settles: true,
  })
  const { tx } = await exitEscrow(one.wallet, {
    escrows: rested.map(({ item }) => ({ ...coinOf(item), form: 'wallet', cosignKey: one.cosignKey! })),
    coins,
    feeRateSatVb,
    maxNetworkSats,
    leastSats: Math.max(...allOf(rested).map(({ offset }) => offset)) + 1,
  })
  const transaction = hexOfTransaction(tx)
  try {
    const { txid } = await one.client.call('sendExit', { body: { walletBindingId, transaction } })
    await refresh()
    return txid
  } catch (error) {
    showUnsent({ title: words.unsentTitle(named(rested)), transaction })
    throw new Error(words.unsent(errorText(error)))
  }
}
