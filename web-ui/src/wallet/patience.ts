import { WalletRefused } from '@ordbook/sdk/errors.ts'
import type { Adapter } from '@ordbook/sdk/wallets/adapter.ts'
import { createStore } from '../state/create-store.ts'

/** A request that has been pending for a while: the wallet window may be hidden or lost. */
interface LateRequest {
  wallet: string
  /** Repeats the request. The response to the earlier request is ignored. */
  askAgain(): void
  stop(): void
}

/** Wait before offering to repeat a request. Long enough to read what the wallet shows. */
const TIMEOUT_MS = 60_000

/** The pending request. There is at most one, as there is one wallet. */
export const lateRequest = createStore<LateRequest | null>(null)

interface Attempt {
  /** Returns true after another attempt started or the visitor stopped waiting. */
  isSuperseded(): boolean
  /** Restarts the timeout after a partial result of the wallet. */
  restartTimeout(): void
}

/** Waits for a wallet without a deadline. Throws the wallet's error, or WalletRefused if the visitor stops waiting. */
function waitForWallet<T>(wallet: string, request: (attempt: Attempt) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let attempts = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const reset = () => {
      clearTimeout(timer)
      lateRequest.set(null)
    }
    const endAttempt = () => {
      attempts++
      reset()
    }
    const start = () => {
      const attempt = ++attempts
      const isSuperseded = () => attempt !== attempts
      const stop = () => {
        endAttempt()
        reject(new WalletRefused(`${wallet} did not respond, and you stopped waiting. Try again.`))
      }
      const wait = () => {
        reset()
        timer = setTimeout(() => lateRequest.set({ wallet, askAgain: start, stop }), TIMEOUT_MS)
      }
      const end =
        <V>(act: (value: V) => void) =>
        (value: V) => {
          if (isSuperseded()) return
          endAttempt()
          act(value)
        }
      wait()
      request({ isSuperseded, restartTimeout: wait }).then(end(resolve), end(reject))
    }
    start()
  })
}

/** Wraps an adapter so that pending requests can be repeated. Signed PSBTs are not signed again. */
export const patient = (adapter: Adapter): Adapter => ({
  ...adapter,
  connect: (network) => waitForWallet(adapter.name, () => adapter.connect(network)),
  signMessage: (account, message) => waitForWallet(adapter.name, () => adapter.signMessage(account, message)),
  signPsbts(requests, accounts, onSigned) {
    const signed: string[] = []
    return waitForWallet(adapter.name, async ({ isSuperseded, restartTimeout }) => {
      const from = signed.length
      const rest = await adapter.signPsbts(requests.slice(from), accounts, (n, psbtBase64) => {
        // Aborts a superseded attempt, so that it opens no further wallet windows.
        if (isSuperseded()) throw new WalletRefused('The request was sent again.')
        onSigned?.(from + n, psbtBase64)
        signed[from + n] = psbtBase64
        restartTimeout()
      })
      return [...signed.slice(0, from), ...rest]
    })
  },
})
