import { keysOf } from './keys.ts'
import { signAll } from './signing.ts'
import type { Trader } from './trader.ts'
import type { OnSigned, SigningRequest, Wallet } from './wallet.ts'

/** The request of one action to the wallet, until it is answered. */
interface Waiting {
  requests: readonly SigningRequest[]
  onSigned: OnSigned | undefined
  resolve(signed: string[]): void
  reject(error: unknown): void
}

/**
 * Makes several trades with one request to the wallet: prepares and verifies each in order, signs all together if the wallet supports it,
 * and submits each in order. A failed trade does not affect the others; each result has its own outcome. If the wallet declines, nothing is
 * submitted. Each action must use the trader that it is given; trades that spend coins get separate coins.
 *
 * @example
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
    await new Promise<void>((goOn) => {
      const wallet = collecting(trader.wallet, (request) => {
        // A second signature of the same action has no others to wait for.
        if (waiting.has(n)) return false
        waiting.set(n, request)
        collected.push(request)
        goOn()
        return true
      })
      results[n] = settled(async () => action({ ...trader, ...keys, wallet }))
      results[n].finally(goOn)
    })
  const answers = await signCollected(trader.wallet, collected)
  for (const [n, result] of results.entries()) {
    const request = waiting.get(n)
    if (request) answers(request)
    await result
  }
  return Promise.all(results)
}

const settled = async <T>(run: () => Promise<T>): Promise<PromiseSettledResult<T>> =>
  (await Promise.allSettled([run()]))[0]!

/** The wallet, except that its first request goes to `collect`. */
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

/** Signs all requests; gives the function that hands each action its own part, or the wallet's refusal. */
async function signCollected(
  wallet: Wallet,
  collected: readonly Waiting[],
): Promise<(waiting: Waiting) => void> {
  const starts = new Map<Waiting, number>()
  let count = 0
  for (const each of collected) {
    starts.set(each, count)
    count += each.requests.length
  }
  const onSigned: OnSigned = (index, psbtBase64) => {
    const owner = collected.findLast((each) => starts.get(each)! <= index)!
    owner.onSigned?.(index - starts.get(owner)!, psbtBase64)
  }
  try {
    const requests = collected.flatMap((each) => each.requests)
    const signed = requests.length > 0 ? await signAll(wallet, requests, onSigned) : []
    return (waiting) => {
      const start = starts.get(waiting)!
      waiting.resolve(signed.slice(start, start + waiting.requests.length))
    }
  } catch (error) {
    return (waiting) => waiting.reject(error)
  }
}
