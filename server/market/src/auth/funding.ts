import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { unspentOf } from '@ordbook/indexer/coins/coins.ts'
import type { Context } from '../context.ts'
import { type BindingRow, listBindingsOfProfile } from './queries.ts'

/** Unfunded wallets are cached briefly, because they can receive funds at any time. */
const CACHE_MS = { funded: 600_000, unfunded: 30_000 }
/** After this time the wallet counts as unfunded until the lookup returns. */
const TIMEOUT_MS = 3000
const MAX_CACHED = 10_000

type Needs = Pick<Context, 'sql' | 'node' | 'ord' | 'config'>

/** Returns the confirmed sats of a payment address; Infinity if it has too many coins to list. */
export async function heldSatsOf(context: Needs, paymentScript: Uint8Array): Promise<number> {
  const { coins, isComplete } = await unspentOf(context, paymentScript)
  return isComplete ? sumSats(coins.map((coin) => coin.valueSats)) : Number.POSITIVE_INFINITY
}

/** Checks if storefront wallets hold the amount required by the API. Unfunded wallets get a small budget of writes and market coins. */
export class Funding {
  private readonly context: Needs
  private readonly found = new Map<string, { isFunded: Promise<boolean>; until: number }>()

  constructor(context: Needs) {
    this.context = context
  }

  /** Returns the binding's id if the wallet is unfunded. API sessions checked the funds at sign-in. */
  async takerOf({ surface }: Session, binding: BindingRow): Promise<string | null> {
    if (surface === 'api' || (await this.isFunded(binding.paymentScript))) return null
    return binding.walletBindingId
  }

  async isProfileFunded(sql: Context['sql'], profileId: string): Promise<boolean> {
    for (const { paymentScript } of await listBindingsOfProfile(sql, profileId))
      if (await this.isFunded(paymentScript)) return true
    return false
  }

  private isFunded(paymentScript: Uint8Array): Promise<boolean> {
    const { minFundingSats } = this.context.config
    if (minFundingSats === 0) return Promise.resolve(true)
    const key = bytesToHex(paymentScript)
    let entry = this.found.get(key)
    if (!entry || performance.now() >= entry.until) {
      const isFunded = heldSatsOf(this.context, paymentScript).then((sats) => sats >= minFundingSats)
      const lookup = { isFunded: isFunded.catch(() => false), until: Number.POSITIVE_INFINITY }
      void lookup.isFunded.then((funded) => {
        lookup.until = performance.now() + (funded ? CACHE_MS.funded : CACHE_MS.unfunded)
      })
      this.found.delete(key)
      this.found.set(key, lookup)
      if (this.found.size > MAX_CACHED) this.found.delete(this.found.keys().next().value!)
      entry = lookup
    }
    return falseAfterTimeout(entry.isFunded)
  }
}

async function falseAfterTimeout(lookup: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, TIMEOUT_MS, false)
  })
  try {
    return await Promise.race([lookup, timeout])
  } finally {
    clearTimeout(timer)
  }
}
