import { keysOf } from './keys.ts'
import { signAll } from './signing.ts'
import type { Trader } from './trader.ts'
import type { OnSigned, SigningRequest, Wallet } from './wallet.ts'

interface Waiting {
  requests: readonly SigningRequest[]
  onSigned: OnSigned | undefined
  resolve(signed: string[]): void
  reject(error: unknown): void
}

/**
 * Signs several trades in one wallet request, if the wallet supports it, after verifying all of them. Submits them in order; a failed trade
 * does not affect the others. Each action must use the trader in its argument, and trades must not share coins.
 * | @example
 * const results = await signTogether(trader, offers.map(({ id, sale }) => (one) => counter(one, id, sale)))
 */
export async function signTogether<T>(
  trader: Trader,
  actions: readonly ((trader: Trader) => Promise<T>)[],
): Promise<PromiseSettledResult<T>[]> {
  const keys = await keysOf(trader)
  const collected: Waiting[] = []
  const waiting = new Map<number, Waiting>()
  const results: Promise<PromiseSettledResult<T>>[] = []
  for (const [n, action] of actions.entries())
    await new Promise<void>((resolveCollected) => {
      const wallet = collecting(trader.wallet, (request) => {
        // Collect only the first request of an action.
        if (waiting.has(n)) return false
        waiting.set(n, request)
        collected.push(request)
        resolveCollected()
        return true
      })
      results[n] = settled(async () => action({ ...trader, ...keys, wallet }))
      results[n].finally(resolveCollected)
    })
  const deliver = await signCollected(trader.wallet, collected)
  for (const [n, result] of results.entries()) {
    const request = waiting.get(n)
    if (request) deliver(request)
    await result
  }
  return Promise.all(results)
}

const settled = async <T>(run: () => Promise<T>): Promise<PromiseSettledResult<T>> =>
  (await Promise.allSettled([run()]))[0]!

/** Wraps a wallet and passes its first request to `collect`. */
function collecting(wallet: Wallet, collect: (request: Waiting) => boolean): Wallet {
  const signPsbts: Required<Wallet>['signPsbts'] = (requests, onSigned) =>
    new Promise((resolve, reject) => {
      if (!collect({ requests, onSigned, resolve, reject }))
        signAll(wallet, requests, onSigned ?? (() => {})).then(resolve, reject)
    })
  return Object.assign(Object.create(wallet) as Wallet, {
    signPsbts,
    signPsbt: async (psbtBase64: string, inputsToSign: SigningRequest['inputsToSign']) =>
      (await signPsbts([{ psbtBase64, inputsToSign }]))[0]!,
  })
}

/** Signs all requests. Returns a function that delivers each action's PSBTs, or the wallet's error. */
async function signCollected(
  wallet: Wallet,
  collected: readonly Waiting[],
): Promise<(waiting: Waiting) => void> {
  const starts = new Map<Waiting, number>()
  let count = 0
  for (const waiting of collected) {
    starts.set(waiting, count)
    count += waiting.requests.length
  }
  const onSigned: OnSigned = (index, psbtBase64) => {
    const owner = collected.findLast((waiting) => starts.get(waiting)! <= index)!
    owner.onSigned?.(index - starts.get(owner)!, psbtBase64)
  }
  try {
    const requests = collected.flatMap((waiting) => waiting.requests)
    const signed = requests.length > 0 ? await signAll(wallet, requests, onSigned) : []
    return (waiting) => {
      const start = starts.get(waiting)!
      waiting.resolve(signed.slice(start, start + waiting.requests.length))
    }
  } catch (error) {
    return (waiting) => waiting.reject(error)
  }
}
