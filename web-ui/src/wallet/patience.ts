import { WalletRefused } from '@ordbook/sdk/errors.ts'
import type { Adapter } from '@ordbook/sdk/wallets/adapter.ts'
import { createStore } from '../state/create-store.ts'

/** A request that a wallet has not answered for a while: its window may be lost or out of sight. */
interface LateRequest {
  /** The wallet's name. */
  wallet: string
  /** Lets the pending request go, whose answer is ignored from then on, and sends it again. */
  askAgain(): void
  stop(): void
}

/** The time after which the page offers to ask again. Reading what a wallet shows takes a while, too. */
const PATIENCE_MILLISECONDS = 60_000

/** The late request of the page; one at a time, as there is one wallet. */
export const lateRequest = createStore<LateRequest | null>(null)

/** One try of a request. */
interface Try {
  /** Whether another try took its place, or the visitor stopped waiting. */
  isLetGo(): boolean
  /** The wallet has answered a part: the wait begins again. */
  goesOn(): void
}

/** Waits for a wallet. Throws what it throws, or WalletRefused where the visitor stops waiting. */
function patiently<T>(wallet: string, ask: (own: Try) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let tries = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const rest = () => {
      clearTimeout(timer)
      lateRequest.set(null)
    }
    const letGo = () => {
      tries++
      rest()
    }
    const start = () => {
      const own = ++tries
      const isLetGo = () => own !== tries
      const stop = () => {
        letGo()
        reject(new WalletRefused(`${wallet} did not answer, and its answer is no longer awaited.`))
      }
      const wait = () => {
        rest()
        timer = setTimeout(() => lateRequest.set({ wallet, askAgain: start, stop }), PATIENCE_MILLISECONDS)
      }
      const end =
        <V>(act: (value: V) => void) =>
        (value: V) => {
          if (isLetGo()) return
          letGo()
          act(value)
        }
      wait()
      ask({ isLetGo, goesOn: wait }).then(end(resolve), end(reject))
    }
    start()
  })
}

/** An adapter whose requests can be sent again when the wallet does not answer. Signatures that are there are not asked for twice. */
export const patient = (adapter: Adapter): Adapter => ({
  ...adapter,
  connect: (network) => patiently(adapter.name, () => adapter.connect(network)),
  signMessage: (account, message) => patiently(adapter.name, () => adapter.signMessage(account, message)),
  signPsbts(requests, accounts, onSigned) {
    const signed: string[] = []
    return patiently(adapter.name, async ({ isLetGo, goesOn }) => {
      const from = signed.length
      const rest = await adapter.signPsbts(requests.slice(from), accounts, (n, psbtBase64) => {
        // A late answer opens no further window.
        if (isLetGo()) throw new WalletRefused('this request was sent again')
        onSigned?.(from + n, psbtBase64)
        signed[from + n] = psbtBase64
        goesOn()
      })
      return [...signed.slice(0, from), ...rest]
    })
  },
})
