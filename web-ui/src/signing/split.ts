import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { CannotSplit } from '@ordbook/sdk/errors.ts'
import { planSplit, type SplitAgreement, split } from '@ordbook/sdk/split.ts'
import { walletOf } from '@ordbook/sdk/wallets/wallet-of.ts'
import { client } from '../api/client.ts'
import { errorText } from '../api/error-text.ts'
import { escrow } from '../strings/escrow.ts'
import { split as words } from '../strings/split.ts'
import { itemOf, tradedOf } from './items.ts'
import { assertPlausibleRate } from './move-payment.ts'
import { coinsOf, refresh, type Trading, trader } from './trading.ts'
import { showUnsent } from './unsent.tsx'

const MAX_TOGETHER = 20

/** Moves each inscription of an item's coin, and its runes, to separate coins of the owner. Returns the message. */
export async function separateCoin(trading: Trading, inscriptionId: string): Promise<string> {
  const { signed, market } = trading
  const { walletBindingId } = signed
  const item = await itemOf(inscriptionId)
  if (item.escrowForm) throw new Error(words.inEscrow(item.name))
  if (item.address === null) throw new Error(words.notYours)
  const { carries = [] } = await client.call('listCarries', { query: { inscriptionIds: inscriptionId } })
  const others = carries.filter(({ kind }) => kind === 'inscription')
  if (others.length > MAX_TOGETHER) throw new Error(words.tooMany(MAX_TOGETHER))
  const all = [item, ...(await Promise.all(others.map(({ name }) => itemOf(name))))]
  const { feeRateSatVb } = await client.call('listCoins', { query: { walletBindingId } })
  assertPlausibleRate(feeRateSatVb)
  const { txid, vout, valueSats } = item
  const agreement: SplitAgreement = {
    coin: { txid, vout, valueSats, script: scriptOfAddress(item.address, market.addressNetwork) },
    contents: all.map(({ inscriptionId, offset }) => ({ inscriptionId, offset })),
    hasRunes: carries.some(({ kind }) => kind === 'rune'),
    coins: await coinsOf(trading),
    feeRateSatVb,
    maxNetworkSats: Number.MAX_SAFE_INTEGER,
  }
  const { feeSats, paddingSats } = planned(trading, agreement)
  const bill = [
    { kind: 'postage' as const, sats: paddingSats, rateBps: null },
    { kind: 'networkFee' as const, sats: feeSats, rateBps: null },
  ]
  const sdkTrader = await trader(trading, {
    agreement: { kind: 'split', items: await tradedOf(all, 'stays'), maxNetworkSats: feeSats },
    quotes: [
      {
        bill: bill.filter(({ sats }) => sats > 0),
        totalSats: paddingSats + feeSats,
        targetFeeRateSatVb: feeRateSatVb,
      },
    ],
  })
  const { tx } = await split(sdkTrader.wallet, { ...agreement, maxNetworkSats: feeSats })
  const transaction = hexOfTransaction(tx)
  try {
    const sent = await sdkTrader.client.call('sendSplit', { body: { walletBindingId, transaction } })
    await refresh()
    return words.sent(sent.txid)
  } catch (error) {
    const { unsentTitle, unsentWhy, file } = words
    showUnsent({ title: unsentTitle(item.name), why: unsentWhy, file, transaction })
    throw new Error(escrow.unsent(errorText(error)))
  }
}

/** Plans the split. Throws an error in words if the coin cannot be split. */
function planned({ signed: { adapter, accounts }, market }: Trading, agreement: SplitAgreement) {
  try {
    return planSplit(walletOf(adapter, accounts, market.addressNetwork), agreement)
  } catch (error) {
    if (error instanceof CannotSplit) throw new Error(words.cannot[error.code] ?? error.message)
    throw error
  }
}
