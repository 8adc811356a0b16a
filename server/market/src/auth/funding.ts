import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { unspentOf } from '@ordbook/indexer/coins/coins.ts'
import type { Context } from '../context.ts'
import { type BindingRow, listBindingsOfProfile } from './queries.ts'

/** The life of a result, in milliseconds: a wallet that has just got its funds waits half a minute at most. */
const HOLDS = { funded: 600_000, unfunded: 30_000 }
/** Maximum duration of a balance lookup, in milliseconds. Until it returns, the wallet counts as unfunded. */
const TIMEOUT_MS = 3000
const MAX_CACHED = 10_000

type Needs = Pick<Context, 'node' | 'ord' | 'config'>

/** Confirmed sats of a payment address. Rethrows lookup errors. */
export async function heldSatsOf(context: Needs, paymentScript: Uint8Array): Promise<number> {
  return sumSats((await unspentOf(context, paymentScript)).map((coin) => coin.valueSats))
}

/**
 * Whether wallets of the storefront hold the amount that the API requires at sign-in. The storefront requires none, but unfunded wallets
 * have a small budget of writes and market coins.
 */
export class Funding {
  private readonly context: Needs
  private readonly found = new Map<string, { isFunded: Promise<boolean>; until: number }>()

  constructor(context: Needs) {
    this.context = context
  }

  /** The binding's id if its wallet counts as unfunded, otherwise null. A bearer token proves funds. */
  async takerOf({ surface }: Session, binding: BindingRow): Promise<string | null> {
    if (surface === 'api' || (await this.isFunded(binding.paymentScript))) return null
    return binding.walletBindingId
  }

  /** Whether any wallet of a profile holds the funds. */
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
      const looked = { isFunded: isFunded.catch(() => false), until: Number.POSITIVE_INFINITY }
      void looked.isFunded.then((funded) => {
        looked.until = performance.now() + (funded ? HOLDS.funded : HOLDS.unfunded)
      })
      this.found.delete(key)
      this.found.set(key, looked)
      if (this.found.size > MAX_CACHED) this.found.delete(this.found.keys().next().value!)
      entry = looked
    }
    return withinPatience(entry.isFunded)
  }
}

async function withinPatience(finding: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((done) => {
    timer = setTimeout(done, TIMEOUT_MS, false)
  })
  try {
    return await Promise.race([finding, late])
  } finally {
    clearTimeout(timer)
  }
}
