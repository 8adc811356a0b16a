import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import type { Client } from '@ordbook/sdk/client.ts'
import { type PinnedKeys, pinMarketKeys } from '@ordbook/sdk/pinned-keys.ts'
import { repeating } from '@ordbook/sdk/repeat.ts'
import type { Trader } from '@ordbook/sdk/trader.ts'
import type { MarketKeys } from '@ordbook/sdk/verify.ts'
import type { Wallet } from '@ordbook/sdk/wallet.ts'
import { objectIn, textIn } from '@ordbook/sdk/wallets/answers.ts'
import { walletOf } from '@ordbook/sdk/wallets/wallet-of.ts'
import { client } from '../api/client.ts'
import type { Market } from '../api/settings.tsx'
import { itemsOf, settles } from '../review/agreement.ts'
import type { ReviewInput } from '../review/model.ts'
import { titleOf } from '../review/sentence.ts'
import { store, storedJson } from '../state/stored.ts'
import type { ShownQuote } from '../ticket/quotes/purchase-quote.ts'
import type { Signed } from '../wallet/signed.ts'
import { coinProofOf } from './own-coins.ts'
import type { Progress } from './progress.ts'
import { review } from './review-dialog.tsx'

/** Retries of a submission, long enough for a market restart. Submissions are idempotent. */
export const SUBMIT_REPEATS = 6

/** What the visitor agreed to, and the bill as shown. */
export type Intent = Pick<ReviewInput, 'agreement' | 'offersSats' | 'floors'> & {
  quotes: readonly (ShownQuote | undefined)[]
}

/** Returns an SDK trader whose wallet shows a review before it signs. */
export async function traderOf(
  signed: Signed,
  market: Market,
  intent: Intent,
  progress: Progress,
): Promise<Trader> {
  const { adapter, accounts, walletBindingId } = signed
  const own = walletOf(adapter, accounts, market.addressNetwork)
  let isSigned = false
  const { agreement } = intent
  progress.checks({
    title: titleOf(agreement),
    items: itemsOf(agreement).map(({ inscriptionId, name, goes }) => ({ inscriptionId, name, goes })),
    settles: settles(agreement),
  })
  const keys = await pinnedKeys()
  const marketScript = scriptOfAddress(keys.marketAddress, market.addressNetwork)
  const quotes = intent.quotes.flatMap((quote) => quote ?? [])
  const signPsbts: typeof own.signPsbts = async (requests, onSigned) => {
    const windows = adapter.windowsFor ? adapter.windowsFor(requests.length) : 1
    await review({ ...intent, quotes, wallet: own, marketScript, requests, windows }, coinProofOf(signed))
    progress.signs(own.name, 0, requests.length)
    const answers = await own.signPsbts(requests, (n, psbtBase64) => {
      onSigned?.(n, psbtBase64)
      progress.signs(own.name, n + 1, requests.length)
    })
    isSigned = true
    return answers
  }
  const call: Client['call'] = async (id, input, options) => {
    // A batch of several collections can exceed the limit of writes per minute.
    if (!isSigned)
      return repeating(() => client.call(id, input, options), {
        repeats: SUBMIT_REPEATS,
        isSafe: false,
        signal: null,
      })
    progress.sends()
    const answer = await client.call(id, input, { repeats: SUBMIT_REPEATS, ...options })
    const txid = settlementIn(answer, id)
    if (txid !== null && settles(agreement)) progress.sent(txid)
    return answer
  }
  const wallet: Wallet = {
    ...own,
    signPsbts,
    signPsbt: async (psbtBase64, inputsToSign) => (await signPsbts([{ psbtBase64, inputsToSign }]))[0]!,
  }
  return {
    client: Object.assign(Object.create(client) as Client, { call }),
    wallet,
    walletBindingId,
    ...keys,
  }
}

const LEAVING: readonly string[] = ['submitReclaim', 'submitMove', 'sendExit']

/** Returns the settlement txid of a response, or null. */
function settlementIn(answer: object, id: string): string | null {
  const names = LEAVING.includes(id) ? ['txid'] : ['settlementTxid', 'expectedSettlementTxid']
  for (const name of names) {
    const txid: unknown = Reflect.get(answer, name)
    if (typeof txid === 'string') return txid
  }
  return null
}

const KEYS = 'market-keys'

function keysIn(value: unknown): PinnedKeys {
  const { cosignKey, guardianKey } = objectIn(value, 'the kept keys')
  return { cosignKey: textIn(cosignKey, 'cosignKey'), guardianKey: textIn(guardianKey, 'guardianKey') }
}

/** Returns the market's keys, pinned on first use. Throws if they changed. */
const pinnedKeys = (): Promise<MarketKeys> =>
  pinMarketKeys(client, {
    read: () => storedJson(KEYS, keysIn),
    write: (keys) => store(KEYS, JSON.stringify(keys)),
    changed: () =>
      new Error(
        "This market's signing keys changed. Nothing was signed. Contact its operator before you sign.",
      ),
  })
