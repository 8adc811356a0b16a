import { WalletRefused } from '@ordbook/sdk/errors.ts'
import type { Adapter } from '@ordbook/sdk/wallets/adapter.ts'
import { createStore } from '../state/create-store.ts'

/** A request without a response for a while: the wallet's window may be hidden or lost. */
interface LateRequest {
  wallet: string
  /** Repeats the request; the response to the earlier one is ignored. */
  askAgain(): void
  stop(): void
}

/** Wait before offering to repeat a request. Long enough to read what the wallet shows. */
const TIMEOUT_MS = 60_000

/** The late request. There is at most one, as there is one wallet. */
export const lateRequest = createStore<LateRequest | null>(null)

/** One attempt of a request. */
interface Try {
  /** True after another attempt started or the visitor stopped waiting. */
  isLetGo(): boolean
  /** Restarts the timeout: the wallet has returned part of the result. */
  goesOn(): void
}

/** Waits for a wallet without a deadline. Throws the wallet's error, or WalletRefused if the visitor stops waiting. */
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
        timer = setTimeout(() => lateRequest.set({ wallet, askAgain: start, stop }), TIMEOUT_MS)
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

/** Wraps an adapter so that unanswered requests can be repeated. PSBTs that are signed already are not signed again. */
export const patient = (adapter: Adapter): Adapter => ({
  ...adapter,
  connect: (network) => patiently(adapter.name, () => adapter.connect(network)),
  signMessage: (account, message) => patiently(adapter.name, () => adapter.signMessage(account, message)),
  signPsbts(requests, accounts, onSigned) {
    const signed: string[] = []
    return patiently(adapter.name, async ({ isLetGo, goesOn }) => {
      const from = signed.length
      const rest = await adapter.signPsbts(requests.slice(from), accounts, (n, psbtBase64) => {
        // Aborts a superseded attempt, so that it opens no further wallet windows.
        if (isLetGo()) throw new WalletRefused('this request was sent again')
        onSigned?.(from + n, psbtBase64)
        signed[from + n] = psbtBase64
        goesOn()
      })
      return [...signed.slice(0, from), ...rest]
    })
  },
})
